"""Files and folders that appear whole or not at all.

Everything foretext keeps is written in a folder beside its final place and moved there by one
rename, so that a full disk, a crash or kill -9 never leaves half a result under the final name.

The folder beside it, ``.NAME.xxxx.partial``, is locked by its process as long as it lives. What a
killed process left is therefore known, and the next one that writes the same name removes it.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from foretext.base.errors import OutputError
from foretext.base.leaving import moving, undone_when_leaving
from foretext.base.system import FolderLock, flush_file, lock_folder
from foretext.messages import message

__all__ = [
    "NO_SPACE",
    "atomic_file",
    "atomic_folder",
    "discard_folder",
    "held_folder",
    "is_regular_file",
    "merged_folder",
    "open_file",
    "output_error",
    "refuse_existing",
    "refuse_name",
    "sweep",
    "temporary_folder",
]

PARTIAL = ".partial"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT) if sys.platform != "win32" else (errno.ENOSPC,)
NO_FILE = "it is a pipe, a socket or a device, and no file; remove it"
LONGEST_PREFIX = 40  # letters of a name that its partial folder repeats
_OLD = "replaced"  # in a partial folder: holds the folder that the new one replaces


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path of the same name; on leaving without an error it becomes `path`."""
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _partial(path) as partial:
            temporary = partial / path.name
            yield temporary
            flush_file(temporary)
            with moving():
                temporary.replace(path)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder of the same name; left without an error it replaces `path`."""
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _partial(path) as partial:
            temporary = partial / path.name
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):
                if file.is_file():
                    flush_file(file)
            with moving():
                if path.exists():
                    (partial / _OLD).mkdir()
                    path.rename(partial / _OLD / path.name)
                temporary.rename(path)


@contextmanager
def merged_folder(path: Path, mark: str) -> Iterator[Path]:
    """Yield a temporary folder; left without an error, its files move into `path`, others stay.

    Args:
        path: made where it is not there.
        mark: name of the file that says that a folder is whole: the old one goes first and the new
            one comes last, so that old and new files are never taken for one model.
    """
    with _reported(path):
        path.mkdir(parents=True, exist_ok=True)
        with _partial(path) as partial:
            temporary = partial / path.name
            temporary.mkdir()
            yield temporary
            files = [file for file in temporary.rglob("*") if file.is_file()]
            for file in files:
                flush_file(file)
            with moving():
                (path / mark).unlink(missing_ok=True)
                for file in sorted(files, key=lambda file: file == temporary / mark):
                    place = path / file.relative_to(temporary)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    file.replace(place)


def discard_folder(path: Path) -> None:
    """Remove a folder by one rename; what a killed process leaves of it then is litter."""
    with _reported(path), _partial(path) as partial:
        path.rename(partial / path.name)


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a folder that is removed on leaving; one that a killed process left is removed before.

    Args:
        parent: where it is made; None: where the system keeps temporary files.
    """
    place = Path(tempfile.gettempdir()) if parent is None else parent
    with _reported(place), _partial(place / "foretext") as partial:
        yield partial


@contextmanager
def held_folder(path: Path) -> Iterator[None]:
    """Lock a folder against other processes that lock it, until this one leaves or dies.

    Where the system has no such locks, or the folder is not there, nothing is locked.

    Raises:
        OutputError: another process has locked it.
    """
    if not path.is_dir():
        yield
        return
    try:
        lock = lock_folder(path)
    except BlockingIOError as error:
        raise OutputError(message("errors.output.held", path=path)) from error
    try:
        yield
    finally:
        lock.release()


def sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder; what a living one writes stays."""
    for partial in _partials(folder, "."):
        _remove_orphan(partial)


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Raise an OutputError when `path` may not be written: it exists, or its name will not do."""
    refuse_name(path)
    if path.exists() and not overwrite:
        raise OutputError(message("errors.exists", path=path))


def refuse_name(path: Path) -> None:
    """Raise an OutputError where no file or folder that is read or written can have this name.

    A name that is not UTF-8 could be written, but no card, page or JSON could hold it.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise OutputError(
            f"{str(path)!r} is not UTF-8, and no card or page could hold it; choose another name."
        ) from None
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except ValueError as error:
        raise OutputError(f"{str(path)!r} is no name of a file: {error}.") from None
    except OSError as error:
        cause = "the name is too long" if error.errno == errno.ENAMETOOLONG else error.strerror
        raise OutputError(f"{path}: {cause}; choose another name.") from error


def is_regular_file(path: Path) -> bool:
    """Whether `path` is a file that can be read to its end; False where no file can be so named."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def open_file(path: Path, mode: str = "rb") -> IO[Any]:
    """Open a file of a folder that somebody else may have made; text is UTF-8.

    A pipe, which would be waited for without end, a socket and a device are refused at once.

    Raises:
        OSError: it cannot be opened, or is no file.
    """
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    opened: IO[Any] = open(path, mode, encoding=encoding, newline=newline, opener=_open_regular)  # noqa: SIM115
    return opened


def _open_regular(path: str, flags: int) -> int:
    try:
        handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe that nobody reads, or a socket
            error.strerror = NO_FILE
        if error.errno == errno.EACCES and Path(path).is_dir():  # Windows's word
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path) from error
        raise
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, NO_FILE, path)


def output_error(path: Path, error: OSError) -> OutputError:
    """Turn what the operating system said about writing `path` into one sentence."""
    if error.errno in NO_SPACE:
        key = "disk_full"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        key = "forbidden"
    elif error.errno in (errno.ENOTDIR, errno.EEXIST):
        key = "file_for_folder"
    elif error.errno == errno.ENAMETOOLONG:
        key = "long_name"
    elif error.errno == errno.EFBIG:
        key = "large_file"
    else:
        key = "other"
    cause = error.strerror or str(error)
    return OutputError(message(f"errors.output.{key}", path=path, cause=cause))


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Say what could not be written; that another file cannot be read is another error."""
    try:
        yield
    except OSError as error:
        if not _concerns(error, path):
            raise
        raise output_error(path, error) from error


def _concerns(error: OSError, path: Path) -> bool:
    """Whether an error is of `path`, of a folder above it, or of what is written in its place."""
    if not isinstance(error.filename, str | bytes):
        return True  # of an open file, such as a full disk
    named = Path(os.fsdecode(error.filename))
    is_partial = any(part.endswith(PARTIAL) for part in named.parts)
    return is_partial or named.is_relative_to(path) or path.is_relative_to(named)


@contextmanager
def _partial(path: Path) -> Iterator[Path]:
    """Yield a locked folder beside `path`, gone on leaving."""
    prefix = f".{path.name[:LONGEST_PREFIX]}."
    for orphan in _partials(path.parent, prefix):
        _remove_orphan(orphan)
    partial, lock = _made_partial(prefix, path.parent)
    try:
        with undone_when_leaving(functools.partial(_clear, partial)):
            yield partial
    finally:
        _clear(partial)
        lock.release()


def _clear(partial: Path) -> None:
    _bring_back(partial)
    shutil.rmtree(partial, ignore_errors=True)


def _made_partial(prefix: str, parent: Path) -> tuple[Path, FolderLock]:
    """Make a locked folder; made again, where a sweep came between making and locking."""
    while True:
        partial = Path(tempfile.mkdtemp(prefix=prefix, suffix=PARTIAL, dir=parent))
        with suppress(FileNotFoundError, BlockingIOError):
            lock = lock_folder(partial)
            if partial.exists():
                return partial, lock
            lock.release()


def _partials(folder: Path, prefix: str) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(prefix) and entry.name.endswith(PARTIAL)
        ]
    return []


def _bring_back(partial: Path) -> None:
    """Bring a folder back that was to be replaced, where the new one has not taken its place."""
    replaced = partial / _OLD
    for old in replaced.iterdir() if replaced.is_dir() else ():
        if not (partial.parent / old.name).exists():
            old.rename(partial.parent / old.name)


def _remove_orphan(partial: Path) -> None:
    """Remove a partial folder whose process is gone."""
    with suppress(OSError):
        lock = lock_folder(partial, follow=False)
        try:
            if lock.is_sure:
                _clear(partial)
        finally:
            lock.release()
