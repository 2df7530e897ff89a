"""What to do when a batch does not fit in memory, said in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from foretext.errors import SettingError
from foretext.runtime import MEMORY_SIGNS

__all__ = ["told_of_memory"]


@contextmanager
def told_of_memory(advice: str) -> Iterator[None]:
    """Turn "out of memory" of any device into a SettingError with some advice."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise SettingError(f"The memory is used up; {advice}") from error
    except RuntimeError as error:
        if not any(sign in str(error) for sign in MEMORY_SIGNS):
            raise
        raise SettingError(f"The memory is used up; {advice}") from error
