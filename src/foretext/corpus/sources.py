"""The files of a corpus, from files, folders, globs, fsspec URLs and standard input."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import stat
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from foretext.base.arguments import shown_value
from foretext.base.errors import ArgumentError, CorpusError, suggestion
from foretext.base.files import temporary_folder
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.file_formats import FORMATS
from foretext.corpus.settings import CorpusConfig
from foretext.messages import commas, message, sentences

__all__ = [
    "CLEANED",
    "DROPPED",
    "STANDARD_INPUT",
    "SUFFIXES",
    "Source",
    "at_home",
    "find_sources",
    "left_out",
    "left_out_sentence",
    "local_source",
    "standard_input",
    "suffix_format",
]

SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}

CLEANED, DROPPED = "clean.json", "dropped.jsonl"  # of a cleaning: its facts, and what it dropped

_KEYS = 5  # suffixes of files that are not read
_LONGEST_KEY = 20  # characters of one

STANDARD_INPUT = "-"


def find_sources(
    names: str | Path | Source | Sequence[str | Path | Source], only: str | None = None
) -> list[Source]:
    """Return the files of `names`, in the given order, those of folders and globs sorted.

    A source that is open already is returned as it is.

    A folder is searched at every depth for files with a suffix of `SUFFIXES` (of the format `only`,
    if given) that are not hidden; a file that is named, or matches a glob, can have any suffix.
    Pipes and devices, which may never end, are read if they are named, and skipped in folders and
    globs. In the folder of a cleaning, what it dropped is skipped too.

    Raises:
        CorpusError: there is no such file; the message suggests similar names.
    """
    listed = [names] if isinstance(names, str | Path | Source) else _listed(names)
    if not listed:
        raise CorpusError(message("errors.corpus.none"))
    if listed.count(STANDARD_INPUT) > 1:
        raise CorpusError(message("files.text.stdin_once"))
    return [source for name in listed for source in _find(name, only)]


def left_out(
    names: str | Path | Source | Sequence[str | Path | Source], only: str | None = None
) -> dict[str, int]:
    """Return how many files of local folders `find_sources` passes over, the most first.

    The keys are suffixes, such as ".zip", or "hidden", "special" (pipes, sockets, devices), "no
    suffix" and "dropped by clean". Files in hidden folders are not counted.
    """
    listed = [names] if isinstance(names, str | Path | Source) else names
    folders = [at_home(Path(name)) for name in listed if isinstance(name, str | Path)]
    found: Counter[str] = Counter()
    for folder in folders:
        if folder.is_dir():
            for file in _files(folder):
                if (reason := _unread(file, only)) is not None:
                    found[reason] += 1
    return dict(found.most_common())


def left_out_sentence(found: Mapping[str, int]) -> str | None:
    """Return what `left_out` found as a sentence; None: every file is read."""
    if not found:
        return None
    number = sum(found.values())
    key = f"findings.corpus.left_out_{'one' if number == 1 else 'many'}"
    which = ", ".join(f"{many:,} {key[:_LONGEST_KEY]}" for key, many in [*found.items()][:_KEYS])
    return message(key, number=number, which=which)


def _unread(file: Path, only: str | None) -> str | None:
    """Return the key of a file in `left_out`; None: it is read."""
    if file.name.startswith("."):
        return "hidden"
    if _is_special(file):
        return "special"
    if _is_dropped(file):
        return "dropped by clean"
    if _wanted(file.name, only):
        return None
    return PurePosixPath(file.name).suffix.lower() or "no suffix"


def suffix_format(name: str) -> str | None:
    """Return the format for the suffix of `name`, without a compression suffix."""
    return SUFFIXES.get(PurePosixPath(without_compression_suffix(name)).suffix.lower())


def at_home(path: Path) -> Path:
    """Return a path with the folder of a user in place of ``~``; else it is a name like others.

    Editors call their copies ``~notes.txt``, and a user without an entry may have no folder.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _listed(names: Any) -> list[str | Path | Source]:
    """Return names as a list.

    Raises:
        ArgumentError: something is no name.
    """
    listed = (
        list(names) if isinstance(names, Iterable) and not isinstance(names, bytes) else [names]
    )
    for name in listed:
        if not isinstance(name, str | Path | Source):
            raise ArgumentError(
                f"{shown_value(name)} names no file: give a path as a text or a Path, or a list of "
                "paths."
            )
    return listed


def _find(name: str | Path | Source, only: str | None) -> list[Source]:
    if isinstance(name, Source):
        return [name]
    if name == STANDARD_INPUT:
        return [standard_input()]
    if "://" in str(name):
        return _find_remote(str(name), only)
    try:
        path = at_home(Path(name))
        if path.is_dir():
            return [local_source(file, str(file)) for file in _in_folder(path, only)]
        if path.exists():
            return [local_source(path, str(name))]
        if glob.has_magic(str(name)):
            return [local_source(Path(file), file) for file in _matches(path)]
    except OSError as error:
        raise CorpusError(
            message("errors.unreadable", name=name, cause=error.strerror or error)
        ) from error
    except CorpusError:
        raise
    except ValueError as error:  # with NUL
        raise CorpusError(f"{name!r} is not a name of a file: {error}.") from error
    missing = message("errors.no_file", name=name)
    raise CorpusError(sentences([missing, _close_names(path)]))


def _in_folder(folder: Path, only: str | None) -> list[Path]:
    files = sorted(file for file in _visible_files(folder) if not _is_dropped(file))
    found = [file for file in files if _wanted(file.name, only) and not _is_special(file)]
    if not found:
        raise _no_text(str(folder), [file.name for file in files], only)
    return found


def _visible_files(folder: Path) -> Iterator[Path]:
    return (file for file in _files(folder) if not file.name.startswith("."))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of the folders in it that are not hidden."""
    for parent, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names)


def _is_special(file: Path) -> bool:
    """Whether it is a pipe, a socket or a device; a broken link is an error."""
    return file.exists() and not file.is_file()


def _is_dropped(file: Path) -> bool:
    """Whether it holds what a cleaning dropped."""
    return file.name == DROPPED and file.with_name(CLEANED).is_file()


def _unreadable(error: OSError) -> None:
    cause = error.strerror or error
    raise CorpusError(message("errors.corpus.closed_folder", name=error.filename, cause=cause))


def _wanted(name: str, only: str | None) -> bool:
    format = suffix_format(name)
    return format is not None and only in (None, format)


def _matches(pattern: Path) -> list[str]:
    found = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 (a pattern may be absolute)
    files = sorted(file for file in found if Path(file).is_file())
    if not files:
        raise CorpusError(
            message(f"errors.no_match{'_but_folders' if found else ''}", pattern=pattern)
        )
    return [file for file in files if not _is_dropped(Path(file))] or files


def _close_names(path: Path) -> str:
    """Suggest names in the folder of the missing `path`, or say which folder is missing."""
    parent = path.parent
    if not parent.is_dir():
        return message("errors.no_folder", folder=parent)
    names = [entry.name for entry in parent.iterdir() if not entry.name.startswith(".")]
    where = message("errors.current_folder") if str(parent) == "." else str(parent)
    return suggestion(path.name, names) or message("errors.check_name", where=where)


def _find_remote(url: str, only: str | None) -> list[Source]:
    try:
        filesystem, path = _filesystem(url)
        return [
            _remote_source(filesystem, file, filesystem.unstrip_protocol(file))
            for file in _remote_files(filesystem, path, url, only)
        ]
    except CorpusError:
        raise
    except Exception as error:  # each file system of fsspec raises the errors of its own library
        raise CorpusError(message("files.text.url", url=url, cause=_one_line(error))) from error


def _filesystem(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    filesystem, path = url_to_fs(url)
    return filesystem, path


def _remote_files(filesystem: Any, path: str, url: str, only: str | None) -> list[str]:
    if filesystem.isfile(path):
        return [path]
    if filesystem.isdir(path):
        listed = filesystem.find(path, detail=True)
        files = sorted(
            file
            for file, facts in listed.items()
            if facts.get("type") != "other" or filesystem.isfile(file)  # or a link to one
        )
        dropped = {
            f"{file.removesuffix(CLEANED)}{DROPPED}"
            for file in files
            if PurePosixPath(file).name == CLEANED
        }
        found = [file for file in files if _wanted(file, only) and file not in dropped]
        if not found:
            raise _no_text(url, files, only)
        return found
    if glob.has_magic(path):
        if matched := sorted(file for file in filesystem.glob(path) if filesystem.isfile(file)):
            return matched
        raise CorpusError(message("files.text.url_pattern", url=url))
    raise CorpusError(message("errors.corpus.no_url", name=url))


def _no_text(folder: str, names: Iterable[str], only: str | None) -> CorpusError:
    known = [suffix for suffix, format in SUFFIXES.items() if only in (None, format)]
    without = message("errors.corpus.no_suffix")
    suffixes = Counter(PurePosixPath(name).suffix or without for name in names)
    holds = commas(
        message("errors.corpus.with_suffix", number=number, suffix=suffix)
        for suffix, number in suffixes.most_common(3)
    )
    said = {"folder": folder, "known": " ".join(known)}
    if not holds:
        return CorpusError(message("errors.corpus.no_text_files", **said))
    return CorpusError(message("errors.corpus.other_files", holds=holds, **said))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


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


def _remote_source(filesystem: Any, path: str, name: str) -> Source:
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
