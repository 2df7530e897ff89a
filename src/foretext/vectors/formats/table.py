"""What every vector file holds: words, one vector a word, and counts where they are known."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, AnyStr, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config
from foretext.base.counted import counted
from foretext.base.errors import SettingError, VectorFileError
from foretext.corpus.encoding import Encoding

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors

_MOST = 100  # times the size of its file that vectors in memory may have
_LONGEST_SHOWN = 60  # characters or bytes of a word that an error repeats
_SMALL = 1 << 26  # bytes that they may have in any case

__all__ = ["ReadOptions", "Rows", "VectorTable", "check_table", "first_not_finite"]


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
