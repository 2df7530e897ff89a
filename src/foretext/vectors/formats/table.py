"""What every vector file holds: words, one vector a word, and counts where they are known."""

from __future__ import annotations

import gzip
import io
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, AnyStr, BinaryIO, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config
from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError, VectorFileError
from foretext.base.files import atomic_file
from foretext.base.parsing.lfs_pointer import lfs_pointer_error
from foretext.corpus.compression import LARGEST_PIECE, compression_of, unpacked
from foretext.corpus.encoding import Encoding
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors

__all__ = [
    "ReadOptions",
    "Rows",
    "VectorTable",
    "check_table",
    "encoded_words",
    "first_not_finite",
    "open_input",
    "open_output",
]

_MOST = 100  # times the size of its file that vectors in memory may have
_LONGEST_SHOWN = 60  # characters or bytes of a word that an error repeats
_SMALL = 1 << 26  # bytes that they may have in any case

_HEAD = 64  # bytes that show what a file is
_GZIP_LEVEL = 6  # 9 is several times slower and hardly smaller


class VectorTable(NamedTuple):
    """Words with their vectors, row by row."""

    words: list[str]
    vectors: NDArray[np.float32]  # (V, D)
    counts: NDArray[np.int64] | None  # (V,)
    subwords: SubwordVectors | None = None


class ReadOptions(Config):
    """How to read a file that is larger than needed, or not quite clean."""

    encoding: Encoding = "utf-8"
    """Encoding of the words."""
    errors: Literal["strict", "ignore", "replace"] = "strict"
    """What to do with words that are not in the encoding."""
    repeated: Literal["refuse", "first"] = "refuse"
    """What to do with words that occur twice; first: keep the first vector."""
    limit: int | None = Field(default=None, ge=1)
    """Number of words to read, the first ones; none: all."""


class Rows:
    """The rows of one file, gathered block by block into memory that grows in place."""

    def __init__(self, path: Path, dim: int, options: ReadOptions, place: str, first: int) -> None:
        """Count rows for messages from `first` on, as in "line 2" where `place` is "line"."""
        self.path, self.options, self._place, self._first = path, options, place, first
        self.words: list[str] = []
        self._vectors = np.empty((0, dim), dtype=np.float32)

    @property
    def full(self) -> bool:
        """Whether `options.limit` is reached."""
        return self.options.limit is not None and len(self.words) >= self.options.limit

    def where(self, row: int) -> str:
        """Name a row, counted from 0, as a person finds it in the file."""
        return f"{self.path}, {self._place} {row + self._first}"

    def _in_shell(self, option: str) -> str:
        """How an option is said outside of Python."""
        return f" (`foretext convert {self.path} clean.safetensors {option}`)"

    def check_size(self, num_rows: int) -> None:
        """Refuse more rows than a file of this size can hold, before room is made for them.

        Raises:
            VectorFileError: they take many times the bytes of the file, so that it is a small one
                that unpacks to a large one, or has a wrong header.
        """
        size = 4 * num_rows * self._vectors.shape[1]
        if size > max(_MOST * self.path.stat().st_size, _SMALL):
            raise VectorFileError(
                f"{self.path}: {num_rows:,} vectors of {self._vectors.shape[1]:,} numbers take "
                f"more than {_MOST} times the bytes of the file; it is damaged, fetch it again."
            )

    def add(self, words: list[bytes], vectors: NDArray[np.float32]) -> None:
        """Append words and their vectors (R, D).

        Raises:
            VectorFileError: a word that is not in the encoding.
        """
        start = len(self.words)
        self.words += [self._decoded(word, start + row) for row, word in enumerate(words)]
        if len(self.words) > len(self._vectors):
            self.check_size(len(self.words))
            capacity = max(len(self.words), int(len(self._vectors) * 1.5))
            self._vectors.resize((capacity, self._vectors.shape[1]), refcheck=False)
        self._vectors[start : len(self.words)] = vectors

    def table(self) -> VectorTable:
        """Return what was gathered.

        Raises:
            VectorFileError: NaN, an infinity, or a repeated word.
        """
        if self.options.limit is not None:
            del self.words[self.options.limit :]
        self._vectors.resize((len(self.words), self._vectors.shape[1]), refcheck=False)
        row = first_not_finite(self._vectors)
        if row is not None:
            raise VectorFileError(
                f"{self.where(row)}: the vector of '{_shown(self.words[row])}' holds NaN or an "
                f"infinity; the file is damaged or its training diverged."
            )
        return VectorTable(*self._without_repeated(), None)

    def _decoded(self, word: bytes, row: int) -> str:
        try:
            return word.decode(self.options.encoding, self.options.errors)
        except UnicodeError:
            raise VectorFileError(
                f"{self.where(row)}: the word {_shown(word)!r} is not {self.options.encoding}; "
                "name the right encoding, or say errors='replace' or "
                f"errors='ignore'{self._in_shell('--errors replace')}."
            ) from None

    def _without_repeated(self) -> tuple[list[str], NDArray[np.float32]]:
        first_rows: dict[str, int] = {}
        for row, word in enumerate(self.words):
            first = first_rows.setdefault(word, row)
            if first != row and self.options.repeated == "refuse":
                raise VectorFileError(
                    f"{self.where(row)}: the word '{_shown(word)}' stands in {self._place} "
                    f"{first + self._first} already; keep one of the two, or say "
                    f"repeated='first'{self._in_shell('--repeated first')}."
                )
        if len(first_rows) == len(self.words):
            return self.words, self._vectors
        return list(first_rows), self._vectors[list(first_rows.values())]


def _shown(word: AnyStr) -> AnyStr:
    return word[:_LONGEST_SHOWN]


def check_table(table: VectorTable) -> None:
    """Refuse words, vectors and counts that do not go together.

    Raises:
        SettingError: none at all, unequal numbers, a repeated word, NaN or an infinity.
    """
    words, vectors, counts, _ = table
    if not words or vectors.ndim != 2 or vectors.shape[1] == 0 or len(vectors) != len(words):
        raise SettingError(
            f"{counted(len(words), 'word')} and vectors of shape {vectors.shape} do not go "
            "together; a row "
            f"for each word is needed, and at least one of them."
        )
    if counts is not None and counts.shape != (len(words),):
        raise SettingError(
            f"{counted(len(words), 'word')} and counts of shape {counts.shape} do not go "
            "together; a count "
            f"for each word is needed."
        )
    if len(set(words)) < len(words):
        repeated, times = Counter(words).most_common(1)[0]
        raise SettingError(f"the word '{repeated}' is {times} times among the words; keep one.")
    row = first_not_finite(vectors)
    if row is not None:
        raise SettingError(
            f"the vector of '{words[row]}' holds NaN or an infinity; where training diverged, "
            f"lower the learning rate."
        )


def first_not_finite(vectors: NDArray[np.float32]) -> int | None:
    """Return the first row of `vectors` (V, D) with NaN or an infinity in it."""
    for start in range(0, len(vectors), 65536):  # a mask of the whole matrix would be a quarter
        finite = np.isfinite(vectors[start : start + 65536]).all(axis=1)
        if not finite.all():
            return start + int(finite.argmin())
    return None


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for reading, unpacked where its first bytes say gzip, xz, bzip2 or Zstandard.

    Raises:
        VectorFileError: the file cannot be read, its compressed content is damaged or takes too
            much memory, it is a pointer of Git LFS, or what it holds does not fit into memory.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise VectorFileError(message("files.vectors.no_file", path=path))
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if (pointer := lfs_pointer_error(head, str(path), VectorFileError)) is not None:
                raise pointer
            packed = compression_of(head, "") is not None
            file.seek(0)
            yield cast(BinaryIO, io.BufferedReader(_Unpacked(file, path))) if packed else file
    except FileNotFoundError:
        raise VectorFileError(message("files.vectors.absent", path=path)) from None
    except IsADirectoryError:
        raise VectorFileError(message("files.vectors.folder", path=path)) from None
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
