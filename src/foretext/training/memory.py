"""Advice in one sentence when a batch does not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from foretext.errors import SettingError
from foretext.runtime import MEMORY_SIGNS

__all__ = ["advised_on_memory"]


@contextmanager
def advised_on_memory(advice: str) -> Iterator[None]:
    """Turn "out of memory" of any device into a SettingError with advice."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise SettingError(f"There is not enough memory; {advice}") from error
    except RuntimeError as error:
        if not any(sign in str(error) for sign in MEMORY_SIGNS):
            raise
        raise SettingError(f"There is not enough memory; {advice}") from error
