"""Similarities, neighbours and analogies of words, under gensim's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import whole_number
from foretext.base.errors import SettingError
from foretext.vectors.given_words import as_vector, given_words
from foretext.vectors.neighbors import Nearest, search, unit_rows
from foretext.vectors.transport import transport_cost
from foretext.vectors.word_lookup import WordLookup

if TYPE_CHECKING:
    from foretext.vectors.neighbor_graph import NeighborIndex

__all__ = ["WordSimilarity"]

Term: TypeAlias = str | NDArray[Any] | tuple[str | NDArray[Any], float]
Terms: TypeAlias = str | NDArray[Any] | Sequence[Term]

_TINY = 1e-6  # of 3CosMul, as in the paper


class WordSimilarity(WordLookup):
    """What can be asked of word vectors by cosines."""

    @checked_arguments
    def similarity(self, word: str, other: str) -> float:
        """Return the cosine of two words.

        Args:
            word: a word.
            other: another one.

        Raises:
            UnknownWordError: one of them is not in the vocabulary.
        """
        return float(self.get_vector(word, norm=True) @ self.get_vector(other, norm=True))

    @checked_arguments
    def distance(self, word: str, other: str) -> float:
        """Return 1 minus the cosine of two words.

        Args:
            word: a word.
            other: another one.
        """
        return 1 - self.similarity(word, other)

    @checked_arguments
    def distances(
        self, word: str | NDArray[Any], others: Sequence[str] = ()
    ) -> NDArray[np.float32]:
        """Return 1 minus the cosine with each of `others` (N,), or with all words (V,).

        Args:
            word: a word or a vector (D,).
            others: N words; none: all of the vocabulary.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
        """
        unit = unit_rows(self._direction(word)[None])[0]
        rows = [self._row(other) for other in others] if len(others) else slice(None)
        cosines: NDArray[np.float32] = self._comparable[rows] @ unit * self._inverse_norms[rows]
        return 1 - cosines

    @checked_arguments
    def n_similarity(self, words: Sequence[str], others: Sequence[str]) -> float:
        """Return the cosine of the mean vectors of two sets of words; unknown ones are left out.

        Args:
            words: the first set.
            others: the second set.

        Raises:
            SettingError: one of the two is empty.
        """
        first, second = (
            self.get_mean_vector(each, pre_normalize=False, post_normalize=True)
            for each in (words, others)
        )
        return float(first @ second)

    @checked_arguments
    def most_similar_to_given(self, word: str, others: Sequence[str]) -> str:
        """Return the one of `others` that is nearest to `word`.

        Args:
            word: the word in the middle.
            others: the words to choose from.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there are no others.
        """
        if not len(others):
            raise SettingError("others = []: give at least one word to choose from.")
        return others[int(np.argmax([self.similarity(word, other) for other in others]))]

    @checked_arguments
    def wmdistance(
        self, first: str | Sequence[str], second: str | Sequence[str], norm: bool = True
    ) -> float:
        """Return the word mover's distance of two texts (Kusner et al. 2015).

        It is the least distance that the words of one have to travel to become the other's, found
        exactly; infinite where one has no known word.

        Args:
            first: words, or a text, which is cut as `embed` cuts it.
            second: likewise.
            norm: measure between vectors of unit length.
        """
        counts = [Counter(self._known_words(text)) for text in (first, second)]
        if not all(counts):
            return float("inf")
        points = [np.array([self._vector(word, norm=norm) for word in each]) for each in counts]
        weights = [np.array(list(each.values())) / each.total() for each in counts]
        return transport_cost(points[0], points[1], weights[0], weights[1])

    @checked_arguments
    def most_similar(
        self,
        positive: Terms | None = None,
        negative: Terms | None = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
        *,
        indexer: NeighborIndex | None = None,
    ) -> list[tuple[str, float]]:
        """Return the `topn` words nearest to the sum of `positive` less `negative`, with cosines.

        None are all words, here and in the other methods.

        A term is a word, a vector (D,), or a pair of one of these and its weight; words count with
        unit length, vectors as they are. The words of the query are left out. A weight in
        `negative` is taken as it is given, sign included, as gensim does.

        Args:
            positive: terms that count for a word; one, or a list.
            negative: terms that count against it.
            topn: how many words; None: all.
            restrict_vocab: use the most frequent words only, so many; None: all.
            indexer: an approximate index of these vectors, which may miss words; None: none.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: the query is empty, or the index is of other vectors.
        """
        terms = [*_weighted(positive, 1.0), *_weighted(negative, -1.0)]
        if not terms:
            raise SettingError("most_similar needs at least one word or vector to start from.")
        topn = self._number_of_words(topn)
        weights = np.array([weight for _, weight in terms], dtype=np.float32)
        query = _summed(weights, np.array([self._direction(term) for term, _ in terms]))  # (D,)
        excluded = self._rows_of(term for term, _ in terms if isinstance(term, str))
        if indexer is not None:
            self._check_indexer(indexer, restrict_vocab)
            found = indexer.similar_by_vector(query, max(topn, 0) + len(excluded) or 1)
            left_out = {self.index_to_key[row] for row in excluded}
            return [pair for pair in found if pair[0] not in left_out][: max(topn, 0)]
        nearest = self._search(query[None], topn + len(excluded), restrict_vocab)
        return self._named(nearest, 0, excluded, topn)

    @checked_arguments
    def similar_by_word(
        self, word: str, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the words nearest to `word`: `most_similar` of one word.

        Args:
            word: a word.
            topn: how many words; None: all.
            restrict_vocab: use the most frequent words only, so many; None: all.
        """
        return self.most_similar([word], topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    @checked_arguments
    def similar_by_vector(
        self, vector: ArrayLike, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the words nearest to a vector (D,): `most_similar` of one vector.

        Args:
            vector: (D,) numbers.
            topn: how many words; None: all.
            restrict_vocab: use the most frequent words only, so many; None: all.
        """
        return self.most_similar([as_vector(vector)], topn=topn, restrict_vocab=restrict_vocab)

    @checked_arguments
    def most_similar_cosmul(
        self,
        positive: Terms | None = None,
        negative: Terms | None = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> list[tuple[str, float]]:
        """Return the words of the greatest product of similarities, 3CosMul, with these products.

        Levy and Goldberg 2014: the product over `positive`, divided by that over `negative`, of
        cosines shifted to 0..1; no single word can dominate, as one can in `most_similar`.

        Args:
            positive: terms that count for a word; one, or a list.
            negative: terms that count against it.
            topn: how many words; None: all.
            restrict_vocab: use the most frequent words only, so many; None: all.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there is nothing positive, or a term has a weight.
        """
        wanted, unwanted = (_weighted(terms, 1.0) for terms in (positive, negative))
        if not wanted or any(weight != 1 for _, weight in [*wanted, *unwanted]):
            raise SettingError(
                "most_similar_cosmul needs at least one positive word or vector, and no weights."
            )
        shifted = self._shifted_cosines
        above, below = (
            [shifted(term, restrict_vocab) for term, _ in terms] for terms in (wanted, unwanted)
        )
        scores = np.prod(above, axis=0) / (np.prod(below, axis=0) + _TINY)  # (V,)
        topn = self._number_of_words(topn)
        excluded = self._rows_of(t for t, _ in [*wanted, *unwanted] if isinstance(t, str))
        best = np.argsort(-scores, kind="stable")[: max(topn, 0) + len(excluded)]
        pairs = [
            (self.index_to_key[row], float(scores[row])) for row in best if row not in excluded
        ]
        return pairs[: max(topn, 0)]

    @checked_arguments
    def analogy(self, a: str, b: str, c: str, topn: int | None = 10) -> list[tuple[str, float]]:
        """Return the words that are to `c` what `b` is to `a`: nearest to b - a + c (3CosAdd).

        Args:
            a: a word.
            b: a word that belongs to `a`.
            c: the word whose counterpart is wanted.
            topn: how many words; None: all.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
        """
        return self.most_similar(positive=[b, c], negative=[a], topn=topn)

    @checked_arguments
    def neighbors(self, words: str | Iterable[str], topn: int | None = 10) -> Any:
        """Return what `most_similar` gives for each of many words, many times faster.

        A single word gets a single list.

        Args:
            words: N words, or one.
            topn: how many neighbours of each; None: all.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: something is no word, or `topn` no whole number.
        """
        if isinstance(words, str):
            return self.neighbors([words], topn)[0]
        words, topn = given_words(words), self._number_of_words(topn)
        nearest = self._search(self._vectors_of(words), topn + 1)
        return [
            self._named(nearest, query, self._rows_of([word]), topn)
            for query, word in enumerate(words)
        ]

    @checked_arguments
    def nearest_ngrams(self, word: str, topn: int | None = 10) -> list[tuple[str, float]]:
        """Return the character n-grams nearest to `word`, of all in the vocabulary, with cosines.

        Args:
            word: a word, in the vocabulary or not.
            topn: how many n-grams; None: all.

        Raises:
            UnknownWordError: the word has no vector.
            SettingError: there are no n-grams.
        """
        if self.subwords is None:
            raise SettingError("these vectors have no n-grams; fastText's have.")
        largest = None if topn is None else max(whole_number(topn, "topn"), 0)
        return self.subwords.nearest(self.get_vector(word), self.index_to_key, largest)

    @checked_arguments
    def closer_than(self, word: str, other: str) -> list[str]:
        """Return the words that are nearer to `word` than `other` is, in the vocabulary's order.

        Args:
            word: the word in the middle.
            other: the word that sets the distance.

        Raises:
            UnknownWordError: one of them is not in the vocabulary.
        """
        scores = self._comparable @ self.get_vector(word, norm=True) * self._inverse_norms  # (V,)
        own = self.get_index(word, default=-1)
        nearer = np.flatnonzero(scores > scores[self._row(other)]).tolist()
        return [self.index_to_key[row] for row in nearer if row != own]

    @checked_arguments
    def rank(self, word: str, other: str) -> int:
        """Return the place of `other` among the neighbours of `word`, from 1.

        Args:
            word: the word in the middle.
            other: the neighbour.
        """
        return len(self.closer_than(word, other)) + 1

    @checked_arguments
    def doesnt_match(self, words: Iterable[str]) -> str:
        """Return the word that is farthest from the mean direction of all of `words`.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there are no words.
        """
        words = given_words(words)
        if not words:
            raise SettingError("doesnt_match needs words to choose from.")
        unit = np.array([self._vector(word, norm=True) for word in words])  # (N, D)
        return words[int(np.argmin(unit @ unit.mean(axis=0)))]

    @checked_arguments
    def rank_by_centrality(
        self, words: Iterable[str], use_norm: bool = True
    ) -> list[tuple[float, str]]:
        """Return words with their product with the mean direction of all, the most central first.

        Args:
            words: a set of words.
            use_norm: give each word unit length, so that the products are cosines.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there are no words.
        """
        words = given_words(words)
        if not words:
            raise SettingError("rank_by_centrality needs words to rank.")
        vectors = np.array([self._vector(word, norm=use_norm) for word in words])  # (N, D)
        mean = self.get_mean_vector(list(vectors), pre_normalize=False, post_normalize=True)
        return sorted(zip((vectors @ mean).tolist(), words, strict=True), reverse=True)

    @checked_arguments
    def relative_cosine_similarity(self, word: str, other: str, topn: int = 10) -> float:
        """Return the cosine of two words, divided by the sum of the `topn` highest of `word`.

        Leeuwenberg et al. 2016 take a word for a synonym where it is above 1 / `topn`.

        Args:
            word: the word in the middle.
            other: the word that may mean the same.
            topn: how many neighbours of `word` are summed.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: there is no neighbour, or the sum is zero.
        """
        total = sum(score for _, score in self.similar_by_word(word, whole_number(topn, "topn")))
        if not total:
            raise SettingError(f"topn = {topn}: '{word}' has no neighbour to compare with.")
        return self.similarity(word, other) / total

    def _check_indexer(self, indexer: NeighborIndex, restrict_vocab: int | None) -> None:
        if indexer.vectors is not self:
            raise SettingError("indexer: it is of other vectors; build or load it with these.")
        if restrict_vocab is not None:
            raise SettingError("restrict_vocab has no effect on an index; leave one of them out.")

    def _number_of_words(self, topn: int | None) -> int:
        return len(self) if topn is None else min(whole_number(topn, "topn"), len(self))

    def _direction(self, term: str | NDArray[Any]) -> NDArray[np.float32]:
        if isinstance(term, str):
            return self._vector(term, norm=True)
        vector = as_vector(term)
        if vector.shape != (self.vector_size,):
            raise SettingError(
                f"a vector of shape {vector.shape} cannot be compared with vectors of "
                f"{self.vector_size} dimensions."
            )
        return vector

    def _search(
        self, queries: NDArray[np.float32], k: int, restrict_vocab: int | None = None
    ) -> Nearest:
        if restrict_vocab is not None:
            restrict_vocab = whole_number(restrict_vocab, "restrict_vocab", least=1)
        inverse = self._inverse_norms[:restrict_vocab]
        return search(self._comparable[:restrict_vocab], inverse, unit_rows(queries), k)

    def _named(
        self, nearest: Nearest, query: int, excluded: Collection[int], topn: int
    ) -> list[tuple[str, float]]:
        pairs = zip(nearest.rows[query].tolist(), nearest.scores[query].tolist(), strict=True)
        kept = [(self.index_to_key[row], score) for row, score in pairs if row not in excluded]
        return kept[: max(topn, 0)]

    def _rows_of(self, words: Iterable[str]) -> list[int]:
        """Return the rows of those words that are in the vocabulary."""
        return [self._row(word) for word in words if word in self]

    def _shifted_cosines(
        self, term: str | NDArray[Any], restrict_vocab: int | None
    ) -> NDArray[np.float32]:
        """Return the cosines with all words (V,), shifted from -1..1 to 0..1."""
        cosines = self._comparable[:restrict_vocab] @ self._direction(term)
        return np.float32(0.5) * (1 + cosines * self._inverse_norms[:restrict_vocab])

    def _known_words(self, text: str | Sequence[str]) -> list[str]:
        words = self.words_in(text) if isinstance(text, str) else list(text)
        return [self.spelled(word) for word in words if self.has_index_for(word)]


def _summed(weights: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum (D,) of vectors (N, D), or its direction where it is too large for a float."""
    with np.errstate(over="ignore", invalid="ignore"):
        summed: NDArray[np.float32] = weights @ vectors
    if np.isfinite(summed).all():
        return summed
    whole = weights.astype(np.float64) @ vectors.astype(np.float64)
    direction: NDArray[np.float32] = (whole / np.abs(whole).max()).astype(np.float32)
    return direction


def _weighted(terms: Terms | None, weight: float) -> list[tuple[str | NDArray[Any], float]]:
    """Return the terms with their weights; a single word or vector stands for a list of it."""
    if terms is None:
        return []
    if isinstance(terms, str) or (isinstance(terms, np.ndarray) and terms.ndim == 1):
        return [(terms, weight)]
    try:
        listed = list(terms)
    except TypeError:
        raise SettingError(
            f"{repr(terms)[:60]} of type {type(terms).__name__} is no word and no vector; give "
            "words, vectors, or pairs of one of these and a weight."
        ) from None
    return [_weighted_term(term, weight) for term in listed]


def _weighted_term(term: Any, weight: float) -> tuple[str | NDArray[Any], float]:
    if not isinstance(term, tuple):
        return term, weight
    if len(term) != 2 or not isinstance(term[1], Real) or not isfinite(term[1]):
        raise SettingError(
            f"{repr(term)[:60]}: a tuple is a word or a vector with its weight, such as "
            "('ship', 0.5)."
        )
    return term[0], float(term[1])
