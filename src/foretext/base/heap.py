"""What becomes of freed memory: it stays with the process, or goes back to the system.

A step of training allocates what the last one freed. glibc gives large blocks back to the system
when they are freed, and the system zeroes each page when it is touched again: a quarter of a step
on a CPU went into about 90,000 of such page faults.
"""

from __future__ import annotations

import ctypes
import sys

__all__ = ["give_back_memory", "keep_freed_memory"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_ALL = 2**31 - 1


def keep_freed_memory() -> bool:
    """Make the C library keep what is freed until the process ends; False where it is not glibc.

    The process then holds the most that it ever had allocated at one time.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl has none
        return False
    return bool(mallopt(_TRIM_THRESHOLD, _ALL)) and bool(mallopt(_MMAP_THRESHOLD, _ALL))


def give_back_memory() -> None:
    """Give what was freed back to the system, where the C library can be asked."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)
