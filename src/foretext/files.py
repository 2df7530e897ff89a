"""Files and folders that appear whole or not at all.

Everything foretext keeps is written beside its final place and moved there by one rename, so that a
full disk, a crash or kill -9 never leaves half a result under the final name.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foretext.errors import OutputError

if sys.platform != "win32":
    import fcntl

__all__ = ["atomic_file", "atomic_folder", "held_folder", "output_error", "refuse_existing"]


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on leaving without an error it becomes `path`."""
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _flush(temporary)
            temporary.chmod(0o666 & ~_umask())  # mkstemp makes files private
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; on leaving without an error it replaces `path`."""
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            yield temporary
            for file in temporary.iterdir():
                _flush(file)
            temporary.chmod(0o777 & ~_umask())
            _swap(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def held_folder(path: Path) -> Iterator[None]:
    """Hold a folder against other processes that want to hold it, until this one leaves or dies.

    Where the system has no such locks, or the folder is not there, nothing is held.

    Raises:
        OutputError: another process holds it.
    """
    if sys.platform == "win32" or not path.is_dir():
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        _lock(handle, path)
        yield
    finally:
        os.close(handle)


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Raise an OutputError when `path` is there already and may not be replaced."""
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists; choose another name, or replace it with --overwrite.")


def output_error(path: Path, error: OSError) -> OutputError:
    """Turn what the operating system said about writing `path` into one sentence."""
    if error.errno == errno.ENOSPC:
        cause = "the disk is full; free some space or choose another place"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        cause = "you may not write there; choose another place"
    elif error.errno in (errno.ENOTDIR, errno.EEXIST):
        cause = "a file stands where a folder should be; choose another place"
    else:
        cause = error.strerror or str(error)
    return OutputError(f"{path} cannot be written: {cause}.")


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise output_error(path, error) from error


def _swap(new: Path, path: Path) -> None:
    """Put the folder `new` in the place of `path`, keeping the old one until the new one stands."""
    if not path.exists():
        new.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _flush(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _lock(handle: int, path: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(
            f"Another process is at work in {path}; wait for its end, or choose another folder."
        ) from None
    except OSError:  # a file system that has no locks
        return
