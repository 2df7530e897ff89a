"""Vector files as bytes in, compressed or not, and bytes out, compressed with gzip or not."""

from __future__ import annotations

import gzip
import io
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from foretext.base.errors import CorpusError, VectorFileError
from foretext.base.files import atomic_file
from foretext.base.parsing.lfs_pointer import lfs_pointer_error
from foretext.corpus.compression import LARGEST_PIECE, compression_of, unpacked

__all__ = ["encoded_words", "open_input", "open_output"]

_HEAD = 64  # bytes that show what a file is
_GZIP_LEVEL = 6  # 9 is several times slower and hardly smaller


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for reading, unpacked where its first bytes say gzip, xz, bzip2 or Zstandard.

    Raises:
        VectorFileError: the file cannot be read, its compressed content is damaged or takes too
            much memory, it is a pointer of Git LFS, or what it holds does not fit into memory.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise VectorFileError(f"{path} is no file; give a file that can be read.")
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if (pointer := lfs_pointer_error(head, str(path), VectorFileError)) is not None:
                raise pointer
            packed = compression_of(head, "") is not None
            file.seek(0)
            yield cast(BinaryIO, io.BufferedReader(_Unpacked(file, path))) if packed else file
    except FileNotFoundError:
        raise VectorFileError(f"{path}: there is no such file; check the path.") from None
    except IsADirectoryError:
        raise VectorFileError(
            f"{path} is a folder; name the vector file in it, such as vectors.safetensors."
        ) from None
    except MemoryError:
        raise VectorFileError(
            f"{path} takes more memory than there is; say limit=N to read its first N words."
        ) from None
    except OSError as error:
        raise VectorFileError(f"{path} cannot be read: {error.strerror or error}.") from error


class _Unpacked(io.RawIOBase):
    """The uncompressed bytes of a file, from its beginning."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._begin()

    def _begin(self) -> None:
        self._file.seek(0)
        remedy = f"unpack it first (`zstd -d --long=31 {self._path}` or `xz -d {self._path}`)"
        self._pieces = unpacked(self._file, str(self._path), LARGEST_PIECE, remedy)
        self._piece, self._at = memoryview(b""), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go back to the beginning, which is all that anybody needs."""
        if whence == io.SEEK_SET and offset == 0:
            self._begin()
        elif (whence, offset) != (io.SEEK_CUR, 0):
            raise io.UnsupportedOperation("seek")
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._piece:
            try:
                piece = next(self._pieces, None)
            except CorpusError as error:
                raise VectorFileError(str(error)) from error
            if piece is None:
                return 0
            self._piece = memoryview(piece)
        part = self._piece[: len(buffer)]
        buffer[: len(part)] = part
        self._piece = self._piece[len(part) :]
        self._at += len(part)
        return len(part)


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file that becomes `path` when all is written, packed where the name ends in .gz."""
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        if path.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def encoded_words(words: Sequence[str], path: Path, forbidden: str) -> list[bytes]:
    """Return the words as UTF-8.

    Raises:
        VectorFileError: an empty word, one with a character of `forbidden`, or with half a pair of
            surrogates.
    """
    for word in words:
        if not word or any(character in word for character in forbidden):
            raise VectorFileError(
                f"{path}: the word {word!r} cannot be written in this format, where words are not "
                f"empty and hold none of {forbidden!r}; rename it or choose another format."
            )
    try:
        return [word.encode() for word in words]
    except UnicodeEncodeError as error:
        raise VectorFileError(
            f"{path}: the word {error.object!r} is no valid Unicode and cannot be written; "
            f"rename it."
        ) from None
