"""What Linux, macOS and Windows do differently, in one place: locks, files, pipes and memory.

A caller says what it needs, and never checks which system this is. Where a system lacks something,
the result says so: ``None`` for a number, a lock that is not `FolderLock.is_sure`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import resource

__all__ = [
    "END_SIGNALS",
    "MOST_PATIENCE",
    "FolderLock",
    "address_space_limits",
    "available_memory",
    "c_function",
    "creation_flags",
    "flush_file",
    "ignored_broken_pipe",
    "is_broken_pipe",
    "keeps_modes",
    "lock_folder",
    "open_file_limits",
    "peak_memory",
    "raise_open_file_limit",
    "read_system_file",
    "total_memory",
    "whole_number",
]

MEMINFO = Path("/proc/meminfo")
MOST_DIGITS = 20  # of a number of bytes
MOST_PATIENCE = 5.0  # seconds for a program of the system that prints a number
VM_STAT = ("/usr/bin/vm_stat",)  # of macOS
LOCK = ".lock"  # suffix of the file that Windows locks in place of a folder

# What requests a program to end: Ctrl-C, a supervisor, and on Windows Ctrl-Break, the one signal
# that another process can send there.
END_SIGNALS: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
if sys.platform == "win32":
    END_SIGNALS = (*END_SIGNALS, signal.SIGBREAK)


class FolderLock:
    """A lock on a folder, which ends with this process however that ends.

    Args:
        handle: open file that has the lock; None: nothing is locked.
        file: to be removed with the lock.
    """

    def __init__(self, handle: int | None, file: Path | None = None) -> None:
        self._handle, self._file = handle, file

    @property
    def is_sure(self) -> bool:
        """Whether the folder is locked; False where the system or the disk has no such locks."""
        return self._handle is not None

    def release(self) -> None:
        """Unlock the folder."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        if self._file is not None:
            with suppress(OSError):  # another process has locked it since
                self._file.unlink()


def lock_folder(folder: Path, *, follow: bool = True) -> FolderLock:
    """Lock a folder against other processes that lock it.

    On Windows, where a folder cannot be opened, a file beside it is locked, and is gone afterwards.

    Args:
        folder: that is there.
        follow: whether it may be a link to a folder.

    Raises:
        BlockingIOError: another process has locked it.
        OSError: it cannot be opened.
    """
    if sys.platform == "win32":
        return _lock_beside(folder)
    strict = 0 if follow else os.O_NOFOLLOW | os.O_DIRECTORY
    handle = os.open(folder, os.O_RDONLY | strict)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # the file system has no locks
        os.close(handle)
        return FolderLock(None)
    return FolderLock(handle)


if sys.platform == "win32":

    def _lock_beside(folder: Path) -> FolderLock:
        real = folder.resolve()
        file = real.with_name(f".{real.name.lstrip('.')}{LOCK}")
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOINHERIT)
        except OSError:  # nothing may be written there
            return FolderLock(None)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            os.close(handle)
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder)) from error
        return FolderLock(handle, file)


def flush_file(path: Path) -> None:
    """Wait until a file is on the disk.

    Windows flushes only what may be written; elsewhere a file may be without that right.
    """
    with path.open("r+b" if sys.platform == "win32" else "rb") as file:
        os.fsync(file.fileno())


def keeps_modes() -> bool:
    """Whether the mode of a file says who may read it."""
    return sys.platform != "win32"


def is_broken_pipe(error: OSError) -> bool:
    """Whether nobody reads a pipe any more; Windows calls that an invalid argument."""
    invalid = sys.platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or invalid


@contextmanager
def ignored_broken_pipe() -> Iterator[None]:
    """End the block without an error if nobody reads the pipe any more."""
    try:
        yield
    except OSError as error:
        if not is_broken_pipe(error):
            raise


def creation_flags() -> int:
    """Return the creation flags of a process that a Ctrl-C in the terminal shall not reach.

    They are for Windows; elsewhere ``start_new_session`` does that.
    """
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP
    return 0


def c_function(name: str) -> Callable[..., Any] | None:
    """Return a function of the C library; None: it has none of that name, as glibc alone may have.

    On Windows each DLL may have a C library of its own, so there is no common one.
    """
    if sys.platform == "win32":
        return None
    try:
        function: Callable[..., Any] = ctypes.CDLL(None)[name]
    except AttributeError:
        return None
    return function


def available_memory() -> int | None:
    """Return the bytes that the machine could give without swapping; None: it does not say."""
    if sys.platform == "win32":
        return _windows_memory()[1]
    if sys.platform == "darwin":
        return _pages_of_macos(_printed(VM_STAT))
    return _of_meminfo(read_system_file(MEMINFO))


def total_memory() -> int | None:
    """Return the bytes of memory of the machine; None: it does not say."""
    if sys.platform == "win32":
        return _windows_memory()[0]
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):  # a system without these names
        return None


def peak_memory() -> int | None:
    """Return the most bytes that this process ever had resident; None: the system does not say."""
    if sys.platform == "win32":
        return _windows_peak()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def address_space_limits() -> dict[str, int]:
    """Return the limits of the memory that this process may reserve, by option of ``ulimit``."""
    if sys.platform == "win32":
        return {}
    kinds = {"-v": resource.RLIMIT_AS, "-d": resource.RLIMIT_DATA}
    found = {option: resource.getrlimit(kind)[0] for option, kind in kinds.items()}
    return {option: limit for option, limit in found.items() if limit != resource.RLIM_INFINITY}


def open_file_limits() -> tuple[int, int] | None:
    """Return how many files this process may open, now and at most; None: as many as it likes."""
    if sys.platform == "win32":  # sockets are no files there
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    return soft, sys.maxsize if hard == resource.RLIM_INFINITY else hard


def raise_open_file_limit(number: int) -> bool:
    """Let this process open `number` files; False: the system does not let it."""
    if sys.platform == "win32":
        return True
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))
    except (OSError, ValueError):  # macOS has a limit below the one that it names
        return False
    return True


def read_system_file(path: Path) -> str:
    """What the system says in a file; nothing where it has no such file, or shows it to nobody."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def whole_number(text: str) -> int | None:
    """A number of bytes; None where there is none, as in "max", which is no limit."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) < MOST_DIGITS else None


def _of_meminfo(text: str) -> int | None:
    """Read Linux's ``/proc/meminfo``."""
    lines = text.splitlines()
    available = next((line for line in lines if line.startswith("MemAvailable:")), "")
    kibibytes = whole_number(available.removeprefix("MemAvailable:").removesuffix("kB"))
    return None if kibibytes is None else kibibytes * 1024


def _pages_of_macos(text: str) -> int | None:
    """Read what ``vm_stat`` prints: pages that are free, or that hold files and can be dropped."""
    size = re.search(r"page size of (\d+) bytes", text)
    kinds = dict(re.findall(r"^(Pages [a-z -]+):\s+(\d+)\.$", text, re.MULTILINE))
    found = [kinds.get(f"Pages {kind}") for kind in ("free", "inactive", "speculative")]
    if size is None or found[0] is None:
        return None
    return int(size[1]) * sum(int(pages or 0) for pages in found)


def _printed(command: tuple[str, ...]) -> str:
    """What a program of the system prints; nothing where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("ascii", "replace")


if sys.platform == "win32":
    from ctypes import wintypes

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of Windows."""

        _fields_ = (
            ("length", wintypes.DWORD),
            ("load", wintypes.DWORD),
            *((name, ctypes.c_uint64) for name in ("total", "available", "a", "b", "c", "d", "e")),
        )

    class _MemoryCounters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS of Windows."""

        _fields_ = (
            ("length", wintypes.DWORD),
            ("faults", wintypes.DWORD),
            *((name, ctypes.c_size_t) for name in ("peak", "now", "a", "b", "c", "d", "e", "f")),
        )

    def _windows_memory() -> tuple[int | None, int | None]:
        """Return all memory of the machine, and what of it is available."""
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        if not ctypes.WinDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status)):
            return None, None
        return status.total, status.available

    def _windows_peak() -> int | None:
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        get_memory_info = kernel.K32GetProcessMemoryInfo
        get_memory_info.argtypes = [wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD]
        found = _MemoryCounters(length=ctypes.sizeof(_MemoryCounters))
        done = get_memory_info(kernel.GetCurrentProcess(), ctypes.byref(found), found.length)
        return found.peak if done else None
