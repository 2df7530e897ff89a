"""Vector files as bytes in and bytes out, compressed with gzip or not."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from foretext.errors import VectorFileError
from foretext.files import atomic_file

__all__ = ["encoded_words", "open_input", "open_output"]

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_LEVEL = 6  # 9 is several times slower and hardly smaller


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for reading, unpacked where its first bytes say gzip.

    Raises:
        VectorFileError: the file cannot be read, its compressed content is damaged, or what it
            holds does not fit into memory.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise VectorFileError(f"{path} is no file; give a file that can be read.")
        with path.open("rb") as file:
            packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
            file.seek(0)
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
    except FileNotFoundError:
        raise VectorFileError(f"{path}: there is no such file; check the path.") from None
    except IsADirectoryError:
        raise VectorFileError(
            f"{path} is a folder; name the vector file in it, such as vectors.safetensors."
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise VectorFileError(
            f"{path}: the compressed content is damaged or cut off ({error}); fetch it again."
        ) from error
    except MemoryError:
        raise VectorFileError(
            f"{path} takes more memory than there is; say limit=N to read its first N words."
        ) from None
    except OSError as error:
        raise VectorFileError(f"{path} cannot be read: {error.strerror or error}.") from error


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
