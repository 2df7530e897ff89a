"""What to do when a batch does not fit in memory, said in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from foretext.errors import SettingError

__all__ = ["told_of_memory"]

# On a CPU a lack of memory is a RuntimeError like any other, of PyTorch or of oneDNN below it.
LACKS = (
    "can't allocate memory",
    "not enough memory",
    "std::bad_alloc",
    "could not create a memory",
    "could not create a primitive",
)


@contextmanager
def told_of_memory(advice: str) -> Iterator[None]:
    """Turn "out of memory" of any device into a SettingError with some advice."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise SettingError(f"The memory is used up; {advice}") from error
    except RuntimeError as error:
        if not any(lack in str(error) for lack in LACKS):
            raise
        raise SettingError(f"The memory is used up; {advice}") from error
