"""The inverted index: for each word the passages that have it, which BM25 scores.

The words stand in the order of their UTF-8 bytes, so that one is found by halving, without reading
the others. Only the parts that belong to the words of a query are read, and each is checked then.

Writes the inverted index: passages are counted in blocks, whose counts meet in one table. Each
block leaves its counts, sorted by word, in a file. When all words are known, there is a place for
each pair of word and passage, and the blocks are read again and fill them. In memory are the
words, and the counts of one block.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.files import open_file, output_error, temporary_folder
from foretext.base.parsing import map_array, map_tensors, new_array, write_tensors
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind
from foretext.search.bm25 import BM25, idf, term_scores
from foretext.search.folder import IndexFacts, IndexFolder, WordForm

__all__ = ["TENSORS", "WORD_FORM", "WordIndex", "write_word_index"]

TENSORS = {
    "words": ("uint8", 1),  # their bytes, one after another
    "word_starts": ("int64", 1),  # (W + 1,) in `words`
    "first": ("int64", 1),  # (W + 1,) where the passages of each word begin
    "rows": ("uint32", 1),  # (E,) the passages of each word, rising
    "counts": ("uint16", 1),  # (E,) how often it occurs in each
    "lengths": ("uint32", 1),  # (N,) words of each passage
}

BLOCK = 20_000  # passages
WORD_FORM: WordForm = "NFKC"  # full-width letters and ligatures are found by plain ones
MOST = np.iinfo(np.uint16).max


class WordIndex:
    """The words of all passages.

    Raises:
        ModelFileError: the file is missing or damaged.
        MissingExtraError: Chinese words without jieba.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        self._path = folder.words
        self._pre_tokenizer = PreTokenizer(facts.words, edition=facts.words_edition)
        self._form = facts.words_form
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
        return self._pre_tokenizer.words(unicodedata.normalize(self._form, text))

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


def write_word_index(path: Path, texts: Iterable[str], kind: PreTokenizerKind) -> None:
    """Write the words of passages, as `WordIndex` reads them.

    Args:
        path: of the file.
        texts: of the passages, in their order.
        kind: what a word is.

    Raises:
        OutputError: it cannot be written.
        MissingExtraError: Chinese words without jieba.
    """
    with temporary_folder(path.parent) as folder:
        counter = _Counter(folder, kind)
        for block in _blocks(texts):
            counter.add(block)
        write_tensors(path, counter.table())


class _Counter:
    """Counts words, block by block."""

    def __init__(self, folder: Path, kind: PreTokenizerKind) -> None:
        self._folder = folder
        self._pre_tokenizer = PreTokenizer(kind)
        self._ids: dict[str, int] = {}
        self._lengths: list[NDArray[np.uint32]] = []
        self._sizes: list[int] = []  # of the blocks

    def add(self, texts: list[str]) -> None:
        """Count the next passages."""
        found = [self._words(text) for text in texts]
        first = sum(map(len, self._lengths))
        lengths = np.array([len(ids) for ids in found], np.int64)
        rows = np.repeat(np.arange(first, first + len(texts)), lengths)  # (W,)
        ids = np.fromiter(chain.from_iterable(found), np.int64, len(rows))
        pairs, counts = np.unique(ids << 32 | rows, return_counts=True)  # by word, then by passage
        block = {"pairs": pairs, "counts": np.minimum(counts, MOST).astype(np.int64)}
        for name, array in block.items():
            try:
                with open_file(self._file(name, len(self._sizes)), "wb") as file:
                    file.write(array.data)
            except OSError as error:
                raise output_error(self._folder, error) from error
        self._lengths.append(lengths.astype(np.uint32))
        self._sizes.append(len(pairs))

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the tensors of the index; the large ones are in files of the folder."""
        data = [word.encode() for word in self._ids]  # by id
        order = sorted(range(len(data)), key=data.__getitem__)
        places = np.empty(len(data), np.int64)  # of each id, in the order of the words
        places[order] = np.arange(len(data))
        sorted_words = [data[number] for number in order]
        first = self._first(places)
        rows = self._new("rows", "uint32", int(first[-1]))
        counts = self._new("counts", "uint16", int(first[-1]))
        free = first[:-1].copy()  # the next place of each word
        for block in range(len(self._sizes)):
            self._fill(block, places, free, rows, counts)
        return {
            "words": np.frombuffer(b"".join(sorted_words), np.uint8),
            "word_starts": np.cumsum([0, *map(len, sorted_words)], dtype=np.int64),
            "first": first,
            "rows": rows,
            "counts": counts,
            "lengths": np.concatenate([np.empty(0, np.uint32), *self._lengths]),
        }

    def _words(self, text: str) -> list[int]:
        words = self._pre_tokenizer.words(unicodedata.normalize(WORD_FORM, text))
        return [self._ids.setdefault(word, len(self._ids)) for word in words]

    def _first(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the passages of each word begin, (W + 1,)."""
        numbers = np.zeros(len(places) + 1, np.int64)
        for block in range(len(self._sizes)):
            ids = self._read("pairs", block) >> 32
            numbers[1:] += np.bincount(places[ids], minlength=len(places))
        return np.cumsum(numbers)

    def _fill(
        self,
        block: int,
        places: NDArray[np.int64],
        free: NDArray[np.int64],
        rows: NDArray[Any],
        counts: NDArray[Any],
    ) -> None:
        """Put the pairs of a block to their words, behind those of earlier blocks."""
        pairs = self._read("pairs", block)
        words = places[pairs >> 32]  # equal ones stand together
        starts = np.flatnonzero(np.diff(words, prepend=-1))  # of each word's pairs
        lengths = np.diff(starts, append=len(words))
        within = np.arange(len(words)) - np.repeat(starts, lengths)
        targets = free[words] + within
        rows[targets] = pairs & 0xFFFF_FFFF
        counts[targets] = self._read("counts", block)
        free[words[starts]] += lengths

    def _new(self, name: str, dtype: str, length: int) -> NDArray[Any]:
        return new_array(self._folder / name, dtype, length) if length else np.empty(0, dtype)

    def _read(self, name: str, block: int) -> NDArray[np.int64]:
        path = self._file(name, block)
        return np.asarray(map_array(path, "int64", self._sizes[block], ModelFileError))

    def _file(self, name: str, block: int) -> Path:
        return self._folder / f"{name}-{block}"


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while block := list(islice(rest, BLOCK)):
        yield block
