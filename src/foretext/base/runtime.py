"""What a run has of its machine: cores, threads and memory.

What becomes of freed memory: it stays with the process, or goes back to the system. A step of
training allocates what the last one freed. glibc gives large blocks back to the system when they
are freed, and the system zeroes each page when it is touched again: a quarter of a step on a CPU
went into about 90,000 of such page faults.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import ParamSpec, TypeVar

from foretext.base.errors import SettingError
from foretext.base.system import (
    address_space_limits,
    available_memory,
    c_function,
    read_system_file,
    whole_number,
)
from foretext.messages import LANGUAGES, VARIABLE, message

__all__ = [
    "MEMORY_SIGNS",
    "Threads",
    "command",
    "command_began",
    "free_memory",
    "free_memory_share",
    "give_back_memory",
    "is_first_process",
    "keep_freed_memory",
    "lacks_memory",
    "local_place",
    "num_local_processes",
    "num_processes",
    "num_restarts",
    "refuse_surroundings",
    "refuse_without_memory",
    "usable_cores",
]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# On a CPU a lack of memory is a RuntimeError like any other, of PyTorch or of oneDNN below it.
MEMORY_SIGNS = (
    "can't allocate memory",
    "not enough memory",
    "std::bad_alloc",
    "could not create a memory",
    "could not create a primitive",
)

# What the libraries reserve, measured with a small model: most of it is never touched.
RESERVED, RESERVED_A_CORE = 3 << 29, 1 << 27  # bytes

CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
CGROUP_USED = Path("/sys/fs/cgroup/memory.current")
CGROUP_PARTS = Path("/sys/fs/cgroup/memory.stat")

_command_began: ContextVar[float | None] = ContextVar("command_began", default=None)

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_ALL = 2**31 - 1


@contextmanager
def command() -> Iterator[None]:
    """Run one command within; a budget that is given to it counts from here."""
    before = _command_began.set(time.monotonic())
    try:
        yield
    finally:
        _command_began.reset(before)


def command_began() -> float:
    """Return when the command of this process began, by `time.monotonic`; without one: now."""
    began = _command_began.get()
    return time.monotonic() if began is None else began


def usable_cores() -> int:
    """Return the number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_first_process() -> bool:
    """Whether this process writes and speaks: of those that torchrun started, the first one."""
    return _from_torchrun("RANK", 0) == 0


def num_processes() -> int:
    """Return how many processes train one model: those that torchrun started, or this one."""
    return _from_torchrun("WORLD_SIZE", 1)


def num_local_processes() -> int:
    """Return how many of them are on this machine."""
    return _from_torchrun("LOCAL_WORLD_SIZE", 1)


def local_place() -> int:
    """Return which of the processes of this machine this one is, from 0 on."""
    return _from_torchrun("LOCAL_RANK", 0)


def num_restarts() -> int:
    """Return how many times torchrun has started the processes again, after one of them died."""
    return _from_torchrun("TORCHELASTIC_RESTART_COUNT", 0)


def _from_torchrun(name: str, usual: int) -> int:
    """Read a number that torchrun gives its processes.

    Raises:
        SettingError: the variable has another value.
    """
    value = os.environ.get(name, str(usual))
    if not value.isdecimal():
        raise SettingError(f"{name} = {value!r} is no number, as torchrun gives it; unset it.")
    return int(value)


def refuse_surroundings() -> None:
    """Refuse to begin where the libraries would hang, or end the process without a word.

    Where little memory may be reserved, OpenBLAS asks for it forever, and LLVM calls `abort`; where
    the working folder was deleted, MKL ends the process. None of this could be caught later.

    Raises:
        SettingError: what has to be changed.
    """
    try:
        Path.cwd()
    except OSError as error:
        raise SettingError(message("files.folder.working", cause=error.strerror)) from error
    given = os.environ.get(VARIABLE)
    if given and given not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise SettingError(message("errors.language", given=given, names=names))
    _refuse_small_memory()


def _refuse_small_memory() -> None:
    needed = RESERVED + RESERVED_A_CORE * usable_cores()
    for option, limit in address_space_limits().items():
        if limit < needed:
            raise SettingError(
                f"This process may reserve {limit >> 20:,} MB of memory, and the libraries of "
                f"foretext need {needed >> 20:,} MB on {usable_cores()} cores; raise the limit "
                f"with `ulimit {option} unlimited`."
            )


def lacks_memory(error: BaseException) -> bool:
    """Whether Python, numpy or PyTorch, whose CPU side has no class for it, ran out of memory."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or (isinstance(error, RuntimeError) and any(sign in str(error) for sign in MEMORY_SIGNS))
    )


def free_memory() -> int | None:
    """Return the bytes that a process could have, or None where the system does not say."""
    found = [free for free in (available_memory(), _of_container()) if free is not None]
    return min(found) if found else None


def free_memory_share() -> int | None:
    """Return the part of `free_memory` that a process has, of those that train here together."""
    free = free_memory()
    return None if free is None else free // num_local_processes()


def _of_container() -> int | None:
    limit, used = (
        whole_number(read_system_file(CGROUP_LIMIT)),
        whole_number(read_system_file(CGROUP_USED)),
    )
    if limit is None or used is None:
        return None
    return max(limit - used + _cached_files(), 0)


def _cached_files() -> int:
    """Bytes of files in a container's memory, which the system gives up for others."""
    parts = dict(
        line.split(" ", 1) for line in read_system_file(CGROUP_PARTS).splitlines() if " " in line
    )
    kinds = ("inactive_file", "active_file")
    return sum(whole_number(parts.get(kind, "")) or 0 for kind in kinds)


def refuse_without_memory(num_bytes: int, what: str, remedy: str) -> None:
    """Refuse work before it begins whose memory is not there; the system would end it later.

    Args:
        num_bytes: that it takes, about.
        what: it is, for the sentence, in the reader's language.
        remedy: what the user can lower, likewise.

    Raises:
        SettingError: less is free.
    """
    free = free_memory()
    if free is not None and num_bytes > free:
        known = {"what": what, "needed": num_bytes / 1e9, "free": free / 1e9, "remedy": remedy}
        raise SettingError(message("errors.little_memory", **known))


class Threads(ThreadPoolExecutor):
    """A pool of threads that says in a sentence when the system starts no more of them."""

    @property
    def size(self) -> int:
        """How many threads there are at most."""
        return self._max_workers

    def submit(
        self,
        fn: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        """Have a thread call a function.

        Raises:
            SettingError: the system starts no more threads.
        """
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            if "can't start new thread" not in str(error):
                raise
            raise SettingError(
                f"The system starts no more threads, and this work asks for {self._max_workers}; "
                "raise the limits of processes (ulimit -u) and of memory, or end other programs."
            ) from error


def keep_freed_memory() -> bool:
    """Make the C library keep what is freed until the process ends; False where it is not glibc.

    The process then holds the most that it ever had allocated at one time.
    """
    mallopt = c_function("mallopt")
    if mallopt is None:  # only glibc has one
        return False
    return bool(mallopt(_TRIM_THRESHOLD, _ALL)) and bool(mallopt(_MMAP_THRESHOLD, _ALL))


def give_back_memory() -> None:
    """Give what was freed back to the system, where the C library can be asked."""
    trim = c_function("malloc_trim")
    if trim is not None:
        trim(0)
