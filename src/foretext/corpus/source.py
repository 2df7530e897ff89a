"""One source of text: a local file, a remote file, or a stream that is read once."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from foretext.base.errors import CorpusError
from foretext.base.files import temporary_folder
from foretext.corpus.settings import CorpusConfig

__all__ = ["STANDARD_INPUT", "Source", "local_source", "remote_source", "standard_input"]

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Source:
    """A file as the user named it, and an identity that changes with it."""

    name: str
    identity: str  # of this content: full path, size and time of change
    size: int | None  # stored bytes, None: only known after reading
    opener: Callable[[], BinaryIO]

    def __str__(self) -> str:
        return self.name

    def reading(self, config: CorpusConfig) -> CorpusConfig:
        """Return how this source is read, where a corpus is read by `config`."""
        return config

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open for reading bytes.

        Raises:
            CorpusError: it is missing, may not be read, or the device fails, now or while reading.
        """
        try:
            with self.opener() as file:
                yield file
        except OSError as error:
            raise CorpusError(f"{self.name} cannot be read: {_cause(error)}.") from error


def local_source(path: Path, name: str) -> Source:
    """A local file; a pipe (such as the shell's `<(...)`) is read once and kept."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return _spooled(name, lambda: path.open("rb"))
    identity = f"{path.resolve()} {status.st_size} {status.st_mtime_ns}"
    return Source(name, identity, status.st_size, lambda: path.open("rb", buffering=0))


def remote_source(filesystem: Any, path: str, name: str) -> Source:
    """A file on an fsspec file system."""
    information = filesystem.info(path)
    size = information.get("size")
    changed = [information.get(key) for key in ("ETag", "etag", "mtime", "LastModified", "created")]
    identity = f"{name} {size} {[str(value) for value in changed if value is not None]}"
    return Source(name, identity, size, lambda: cast(BinaryIO, filesystem.open(path, "rb")))


def standard_input() -> Source:
    """Standard input, which can be read only once: the first pass copies it to a file."""
    return _spooled("standard input", lambda: nullcontext(sys.stdin.buffer))


def _spooled(name: str, opener: Callable[[], AbstractContextManager[IO[bytes]]]) -> Source:
    spool = _Spool(name, opener)
    return Source(name, f"{name} {os.getpid()} {id(spool)}", None, spool.open)


class _Spool:
    """The bytes of a stream in a temporary file, written at first use, deleted with this object."""

    def __init__(self, name: str, opener: Callable[[], AbstractContextManager[IO[bytes]]]) -> None:
        self._name = name
        self._opener = opener
        self._copy: Path | None = None

    def open(self) -> BinaryIO:
        if self._copy is None:
            self._copy = self._written()
        return self._copy.open("rb", buffering=0)

    def _written(self) -> Path:
        held = ExitStack()
        weakref.finalize(self, held.close)
        copy = held.enter_context(temporary_folder()) / "stream"
        try:
            with self._opener() as stream, copy.open("wb") as file:
                shutil.copyfileobj(stream, file)
        except OSError as error:
            held.close()
            raise CorpusError(
                f"{self._name} cannot be copied to {copy.parent}: {_cause(error)}; "
                "save it as a file and give that, or set TMPDIR to a folder with space."
            ) from error
        return copy


def _cause(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "the file does not exist any more; give the corpus again"
    if isinstance(error, PermissionError):
        return "you have no permission to read it; ask for it, or make a copy"
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    return error.strerror or str(error) or type(error).__name__
