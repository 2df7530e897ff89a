"""The inverted index: for each word the passages that have it, which BM25 scores.

The words stand in the order of their UTF-8 bytes, so that one is found by halving, without reading
the others. Only the parts that belong to the words of a query are read, and each is checked then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.parsing import map_tensors
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.search.bm25 import BM25, idf, term_scores
from foretext.search.folder import IndexFacts, IndexFolder

__all__ = ["TENSORS", "WordIndex"]

TENSORS = {
    "words": ("uint8", 1),  # their bytes, one after another
    "word_starts": ("int64", 1),  # (W + 1,) in `words`
    "first": ("int64", 1),  # (W + 1,) where the passages of each word begin
    "rows": ("uint32", 1),  # (E,) the passages of each word, rising
    "counts": ("uint16", 1),  # (E,) how often it occurs in each
    "lengths": ("uint32", 1),  # (N,) words of each passage
}


class WordIndex:
    """The words of all passages.

    Raises:
        ModelFileError: the file is missing or damaged.
        MissingExtraError: Chinese words without jieba.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        self._path = folder.words
        self._pre_tokenizer = PreTokenizer(facts.words, edition=facts.words_edition)
        tensors = map_tensors(folder.words, ModelFileError, TENSORS)
        self._words, self._word_starts = tensors["words"], tensors["word_starts"]
        self._first, self._rows = tensors["first"], tensors["rows"]
        self._counts, self._lengths = tensors["counts"], tensors["lengths"]
        if not (
            len(self._word_starts) == len(self._first) >= 1
            and len(self._rows) == len(self._counts)
            and len(self._lengths) == facts.passages
        ):
            self._refuse()

    def __len__(self) -> int:
        return len(self._first) - 1

    def words(self, text: str) -> list[str]:
        """Return the words of a text, cut and in lower case as those of the passages were."""
        return self._pre_tokenizer.words(unicodedata.normalize("NFC", text))

    def num_with(self, word: str) -> int:
        """Return how many passages have a word."""
        return len(self._entries(word)[0])

    def scores(self, words: Iterable[str], settings: BM25) -> NDArray[np.float32]:
        """Return the BM25 score of every passage (N,); a word that comes twice counts twice."""
        scores = np.zeros(len(self._lengths), np.float32)
        for word in words:
            rows, counts = self._entries(word)
            weight = idf(len(rows), len(scores))
            scores[rows] += term_scores(counts, self._relative_lengths[rows], weight, settings)
        return scores

    def rows_with_all(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the passages that have all of these words, rising; without a word, none."""
        found = sorted((self._entries(word)[0] for word in dict.fromkeys(words)), key=len)
        common = found[0].astype(np.int64) if found else np.empty(0, np.int64)
        for rows in found[1:]:
            common = np.intersect1d(common, rows, assume_unique=True)
        return common

    @cached_property
    def _relative_lengths(self) -> NDArray[np.float32]:
        lengths = np.asarray(self._lengths, np.float64)  # (N,)
        relative: NDArray[np.float32] = (lengths / max(lengths.mean(), 1.0)).astype(np.float32)
        return relative

    def _entries(self, word: str) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Return the passages that have a word, and how often each does."""
        place = self._place(word.encode())
        begin, end = (0, 0) if place is None else map(int, self._first[place : place + 2])
        rows = self._rows[begin:end]
        if not 0 <= begin <= end <= len(self._rows) or bool(
            len(rows) and rows.max() >= len(self._lengths)
        ):
            self._refuse()
        return rows, self._counts[begin:end]

    def _place(self, word: bytes) -> int | None:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._word(middle) < word:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._word(low) == word else None

    def _word(self, place: int) -> bytes:
        begin, end = map(int, self._word_starts[place : place + 2])
        if not 0 <= begin <= end <= len(self._words):
            self._refuse()
        return self._words[begin:end].tobytes()

    def _refuse(self) -> NoReturn:
        raise ModelFileError(
            f"{self._path} is damaged: its words are not where it says; make the index again with "
            "--overwrite."
        )
