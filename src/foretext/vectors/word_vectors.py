"""Words and their vectors, to look up, compare, search and keep, under gensim's names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.corpus.texts import iterate_texts
from foretext.errors import SettingError
from foretext.vectors.analogies import evaluate_analogies
from foretext.vectors.analogy_scores import AnalogyResult
from foretext.vectors.formats import ReadOptions, VectorTable, read_table, write_table
from foretext.vectors.formats.table import check_table
from foretext.vectors.lookup import unknown_word
from foretext.vectors.neighbors import Nearest, inverse_norms, search, unit_rows
from foretext.vectors.storage import StorageType
from foretext.vectors.text_embedding import (
    embed_texts,
    known_rows,
    known_words,
    remove_first_component,
    word_weights,
)
from foretext.vectors.word_pairs import WordPairResult, evaluate_pairs

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors

__all__ = ["WordVectors"]

Term: TypeAlias = str | NDArray[Any] | tuple[str | NDArray[Any], float]
Terms: TypeAlias = str | NDArray[Any] | Sequence[Term]


class WordVectors:
    """A vocabulary with one vector a word; nothing in it changes once it is built.

    Args:
        words: the vocabulary, each word once, the most frequent first where that is known.
        vectors: (V, D), finite; a float32 matrix is not copied and must not be changed afterwards.
        counts: (V,), how often each word occurs, for the weighting "sif".
        subwords: vectors of character n-grams. With them a word that was never met has a vector
            too, the mean of its n-grams', and only one without any known n-gram is unknown; ``in``
            still says whether a word is in the vocabulary.
        split: how `embed` cuts a text into words. Without it a text is split at white space, and a
            word that is unknown as written is tried in small letters, then without the punctuation
            at its ends.

    Raises:
        SettingError: the three do not go together, a word is repeated, or a vector is not finite.
    """

    kind: ClassVar[str] = "word vectors"
    task_origin: ClassVar = "vectors"  # what a task that is learned on them starts with

    def __init__(
        self,
        words: Sequence[str],
        vectors: ArrayLike,
        counts: ArrayLike | None = None,
        subwords: SubwordVectors | None = None,
        *,
        split: Callable[[str], list[str]] | None = None,
    ) -> None:
        self.index_to_key = list(words)
        self.key_to_index = {word: row for row, word in enumerate(self.index_to_key)}
        self.vectors = _read_only(np.asarray(vectors, dtype=np.float32))  # (V, D)
        self.counts = None if counts is None else _read_only(np.asarray(counts, dtype=np.int64))
        self.subwords = subwords
        self.split = split
        check_table(self._table)

    @classmethod
    def load(
        cls,
        path: str | Path,
        format: str | None = None,
        *,
        split: Callable[[str], list[str]] | None = None,
        **options: Any,
    ) -> WordVectors:
        """Read a file: "word2vec", "word2vec-bin", "glove", "fasttext" or "safetensors".

        The format is found by the content where it is not given; gzip is unpacked. Options:
        ``encoding="utf-8"``, ``errors="strict" | "ignore" | "replace"`` for words that are not in
        it, ``repeated="refuse" | "first"`` for words that occur twice, ``limit=N`` for the first N.

        Raises:
            VectorFileError: the file is damaged, or is no vector file.
            SettingError: there is no such format or option.
        """
        table = read_table(Path(path), format, ReadOptions.checked(options, "load"))
        return cls(*table, split=split)

    def save(
        self, path: str | Path, format: str | None = None, *, dtype: StorageType = "float32"
    ) -> None:
        """Write a file that `load` reads; the format is that of the name where it is not given.

        ``.safetensors`` keeps the counts; ``.txt`` and ``.vec`` are word2vec text, ``.bin`` is
        word2vec binary, or fastText's where there are n-grams; ``.glove.txt`` and ``glove*.txt``
        are GloVe text. With ``.gz`` they are packed. ``.safetensors`` may hold the numbers in fewer
        bytes, as "float16" or "int8"; `storage_loss` says what is lost by that.

        Raises:
            VectorFileError: a word does not fit the format.
            SettingError: no format has that name, the file's name stands for none, or the format
                does not hold `dtype`.
            OutputError: the file cannot be written.
        """
        write_table(Path(path), format, self._table, dtype)

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    def __contains__(self, word: object) -> bool:
        return word in self.key_to_index

    def __getitem__(self, words: str | Iterable[str]) -> NDArray[np.float32]:
        """The vector of a word (D,), or those of several words (N, D); read-only."""
        if isinstance(words, str):
            return self.get_vector(words)
        return _read_only(self._vectors_of(list(words)))

    def __repr__(self) -> str:
        shown = ", ".join(repr(word) for word in self.index_to_key[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<WordVectors: {len(self):,} words x {self.vector_size}: {shown}{more}>"

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        return {"words": len(self), "vector_size": self.vector_size}

    @property
    def vector_size(self) -> int:
        """Number of dimensions, D."""
        return int(self.vectors.shape[1])

    def get_vector(self, word: str, norm: bool = False) -> NDArray[np.float32]:
        """Return the vector of `word` (D,), of unit length with `norm`; read-only.

        Raises:
            UnknownWordError: the word is not in the vocabulary; close ones are suggested.
        """
        row = self.key_to_index.get(word)
        if row is None:
            unseen = self._unseen_vector(word)
            return _read_only(unit_rows(unseen[None])[0] if norm else unseen)
        vector = self.vectors[row]
        return _read_only(vector * self._inverse_norms[row]) if norm else vector

    def similarity(self, word: str, other: str) -> float:
        """Return the cosine of two words.

        Raises:
            UnknownWordError: one of them is not in the vocabulary.
        """
        return float(self.get_vector(word, norm=True) @ self.get_vector(other, norm=True))

    def most_similar(
        self,
        positive: Terms | None = None,
        negative: Terms | None = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> list[tuple[str, float]]:
        """Return the `topn` words nearest to the sum of `positive` less `negative`, with cosines.

        A term is a word, a vector (D,), or a pair of one of these and its weight; words count with
        unit length, vectors as they are. The words of the query are left out. A weight in
        `negative` is taken as it is given, sign included, as gensim does.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: the query is empty.
        """
        terms = [*_weighted(positive, 1.0), *_weighted(negative, -1.0)]
        if not terms:
            raise SettingError("most_similar needs at least one word or vector to start from.")
        weights = np.array([weight for _, weight in terms], dtype=np.float32)
        query = weights @ np.array([self._direction(term) for term, _ in terms])  # (D,)
        named = [term for term, _ in terms if isinstance(term, str)]
        excluded = [self.key_to_index[word] for word in named if word in self.key_to_index]
        nearest = self._search(query[None], topn + len(excluded), restrict_vocab)
        return self._named(nearest, 0, excluded, topn)

    def analogy(self, a: str, b: str, c: str, topn: int = 10) -> list[tuple[str, float]]:
        """Return the words that are to `c` what `b` is to `a`: nearest to b - a + c (3CosAdd).

        Raises:
            UnknownWordError: a word is not in the vocabulary.
        """
        return self.most_similar(positive=[b, c], negative=[a], topn=topn)

    def neighbors(self, words: Iterable[str], topn: int = 10) -> list[list[tuple[str, float]]]:
        """Return what `most_similar` gives for each of many words, many times faster.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
        """
        words = list(words)
        nearest = self._search(self._vectors_of(words), topn + 1)
        return [
            self._named(nearest, query, [self.key_to_index.get(word, -1)], topn)
            for query, word in enumerate(words)
        ]

    def nearest_ngrams(self, word: str, topn: int = 10) -> list[tuple[str, float]]:
        """Return the character n-grams nearest to `word`, of all in the vocabulary, with cosines.

        Raises:
            UnknownWordError: the word has no vector.
            SettingError: there are no n-grams.
        """
        if self.subwords is None:
            raise SettingError("these vectors have no n-grams; fastText's have.")
        return self.subwords.nearest(self.get_vector(word), self.index_to_key, topn)

    def closer_than(self, word: str, other: str) -> list[str]:
        """Return the words that are nearer to `word` than `other` is, in the vocabulary's order.

        Raises:
            UnknownWordError: one of them is not in the vocabulary.
        """
        scores = self.vectors @ self.get_vector(word, norm=True) * self._inverse_norms  # (V,)
        nearer = np.flatnonzero(scores > scores[self._row(other)]).tolist()
        return [self.index_to_key[row] for row in nearer if self.index_to_key[row] != word]

    def rank(self, word: str, other: str) -> int:
        """Return the place of `other` among the neighbours of `word`, from 1."""
        return len(self.closer_than(word, other)) + 1

    def doesnt_match(self, words: Iterable[str]) -> str:
        """Return the word that is farthest from the mean direction of all of `words`.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there are no words.
        """
        words = list(words)
        if not words:
            raise SettingError("doesnt_match needs words to choose from.")
        unit = np.array([self.get_vector(word, norm=True) for word in words])  # (N, D)
        return words[int(np.argmin(unit @ unit.mean(axis=0)))]

    def embed(
        self,
        texts: Any,
        weighting: Literal["mean", "sif"] = "mean",
        *,
        a: float = 1e-3,
        remove_component: bool = False,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D) float32; a text without a known word gives zeros.

        Texts are strings in a list, a generator, a column, or a table with a column "text".
        "mean" is the mean of the words' vectors; in "sif" a word weighs a / (a + p(w)).
        `remove_component` takes out the direction that is common to the given texts.

        Raises:
            SettingError: one string, "sif" without counts, or a single text to take a common
                direction out of.
            CorpusError: an element is no text.
        """
        if isinstance(texts, str):
            raise SettingError("embed takes several texts; put a single one into a list.")
        weights = word_weights(weighting, self.counts, a)
        found = iterate_texts(texts)
        if self.subwords is None:
            embeddings = embed_texts(found, self._known_rows, self.vectors, weights)
        else:
            embeddings = self._embed_with_unseen(list(found), weights)
        return remove_first_component(embeddings) if remove_component else embeddings

    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return what `embed` gives, under the name that scikit-learn has for it, (N, D)."""
        return self.embed(texts)

    def evaluate_word_pairs(
        self,
        path: str | Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        compose_unseen: bool = True,
        columns: Sequence[str] | None = None,
    ) -> WordPairResult:
        """Compare cosines with people's scores in a file like WordSim-353; see `evaluate_pairs`.

        With n-grams, words that are not in the vocabulary are composed of theirs, as the authors of
        fastText do it for rare words; gensim leaves them out, and so does `compose_unseen=False`.

        Raises:
            EvaluationError: a line is malformed, or fewer than two pairs are in the vocabulary.
        """
        return evaluate_pairs(
            self.index_to_key,
            self.vectors,
            Path(path),
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
            compose=self._composed if compose_unseen else None,
            columns=columns,
        )

    def evaluate_word_analogies(
        self,
        path: str | Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> AnalogyResult:
        """Answer questions in the form of questions-words.txt by 3CosAdd; see `evaluate_analogies`.

        Raises:
            EvaluationError: a line is malformed, or no question is in the vocabulary.
        """
        return evaluate_analogies(
            self.index_to_key,
            self.vectors,
            Path(path),
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
        )

    @cached_property
    def _inverse_norms(self) -> NDArray[np.float32]:  # (V,); a whole unit matrix would be double
        return inverse_norms(self.vectors)

    @property
    def _table(self) -> VectorTable:
        return VectorTable(self.index_to_key, self.vectors, self.counts, self.subwords)

    def _vectors_of(self, words: list[str]) -> NDArray[np.float32]:
        if self.subwords is None or all(word in self.key_to_index for word in words):
            return self.vectors[[self._row(word) for word in words]]
        return np.array([self.get_vector(word) for word in words])

    def _unseen_vector(self, word: str) -> NDArray[np.float32]:
        vector = None if self.subwords is None else self.subwords.vector(word)
        if vector is None:
            raise unknown_word(word, self.index_to_key, self.key_to_index)
        return vector

    def _composed(self, word: str) -> NDArray[np.float32] | None:
        """Return the vector that the n-grams of an unseen word, cut as a text is, give (D,)."""
        if self.subwords is None or word in self.key_to_index:
            return None
        parts = [word] if self.split is None else self.split(word)
        return self.subwords.vector(parts[0] if len(parts) == 1 else word)

    def _embed_with_unseen(
        self, texts: list[str], weights: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """Embed by a vocabulary of these texts alone; a word that was never met weighs 1."""
        split = self.split or partial(known_words, known=self.key_to_index)
        found = dict.fromkeys(word for text in texts for word in split(text))
        words = [word for word in found if word in self.key_to_index or self._has_ngrams(word)]
        rows = {word: row for row, word in enumerate(words)}
        vectors = self._vectors_of(words).reshape(-1, self.vector_size)
        if weights is not None:
            known = [self.key_to_index.get(word, -1) for word in words]
            weights = np.append(weights, np.float32(1.0))[known]
        return embed_texts(
            texts,
            lambda text: [rows[word] for word in split(text) if word in rows],
            vectors,
            weights,
        )

    def _has_ngrams(self, word: str) -> bool:
        return self.subwords is not None and self.subwords.vector(word) is not None

    def _row(self, word: str) -> int:
        row = self.key_to_index.get(word)
        if row is None:
            raise unknown_word(word, self.index_to_key, self.key_to_index)
        return row

    def _known_rows(self, text: str) -> list[int]:
        if self.split is None:
            return known_rows(text, self.key_to_index)
        rows = (self.key_to_index.get(word) for word in self.split(text))
        return [row for row in rows if row is not None]

    def _direction(self, term: str | NDArray[Any]) -> NDArray[np.float32]:
        if isinstance(term, str):
            return self.get_vector(term, norm=True)
        vector = np.asarray(term, dtype=np.float32)
        if vector.shape != (self.vector_size,):
            raise SettingError(
                f"a vector of shape {vector.shape} cannot be compared with vectors of "
                f"{self.vector_size} dimensions."
            )
        return vector

    def _search(
        self, queries: NDArray[np.float32], k: int, restrict_vocab: int | None = None
    ) -> Nearest:
        inverse = self._inverse_norms[:restrict_vocab]
        return search(self.vectors[:restrict_vocab], inverse, unit_rows(queries), k)

    def _named(
        self, nearest: Nearest, query: int, excluded: Collection[int], topn: int
    ) -> list[tuple[str, float]]:
        pairs = zip(nearest.rows[query].tolist(), nearest.scores[query].tolist(), strict=True)
        kept = [(self.index_to_key[row], score) for row, score in pairs if row not in excluded]
        return kept[: max(topn, 0)]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _weighted(terms: Terms | None, weight: float) -> list[tuple[str | NDArray[Any], float]]:
    """Return the terms with their weights; a single word or vector stands for a list of it."""
    if terms is None:
        return []
    if isinstance(terms, str) or (isinstance(terms, np.ndarray) and terms.ndim == 1):
        return [(terms, weight)]
    return [term if isinstance(term, tuple) else (term, weight) for term in terms]
