"""From words to rows and vectors: what `WordVectors` is underneath.

Where a vocabulary is in lower case, queries are too: "Merkel" finds "merkel", in every method.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import checked_arguments, given_array, shown_value
from foretext.base.errors import ArgumentError, SettingError, UnknownWordError
from foretext.base.representation import represented
from foretext.vectors.formats import VectorTable
from foretext.vectors.formats.table import check_table
from foretext.vectors.neighbors import comparable_rows, inverse_norms, unit_rows
from foretext.vectors.text_embedding import known_form, known_words

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors

__all__ = ["WordLookup", "first_rows", "read_only", "unknown_word"]

_MOST_SCANNED = 100_000  # the most frequent words, where these come first
_MOST_COMPARED = 2_000


@represented
class WordLookup:
    """A vocabulary with one vector a word, and n-grams for words that are not in it."""

    @checked_arguments
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
        self.vectors = read_only(given_array(vectors, "vectors", np.float32))  # (V, D)
        self.counts = None if counts is None else read_only(given_array(counts, "counts", np.int64))
        self.subwords = subwords
        self.split = split
        check_table(self._table)

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.spelled(word) in self.key_to_index

    def __getitem__(self, words: str | Iterable[str]) -> NDArray[np.float32]:
        """The vector of a word (D,), or those of several words (N, D); read-only."""
        if isinstance(words, str):
            return self.get_vector(words)
        if not isinstance(words, Iterable):
            raise ArgumentError(
                f"{shown_value(words)} is no word: give a text, or a list of texts."
            )
        return read_only(self._vectors_of(list(words)))

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        return {"words": len(self), "vector_size": self.vector_size}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the vectors."""
        return {
            "words": len(self),
            "dimensions": self.vector_size,
            "first words": self.index_to_key,
            "n-grams": None if self.subwords is None else "yes",
            "tokens counted": None if self.counts is None else int(self.counts.sum()),
        }

    @property
    def vector_size(self) -> int:
        """Number of dimensions, D."""
        return int(self.vectors.shape[1])

    def spelled(self, word: str) -> str:
        """Return `word` as the vocabulary spells it; one that it does not have as it is.

        A word that is unknown as written is looked for in Unicode's forms NFC and NFD, and then in
        small letters if the whole vocabulary has no capital. Where `split` says how text is cut, an
        unknown word is written as text is that was learned from, and has the n-grams of that.

        Raises:
            ArgumentError: it is no text.
        """
        if not isinstance(word, str):
            raise ArgumentError(f"{shown_value(word)} is no word: give a text.")
        if word in self.key_to_index:
            return word
        known = known_form(word, self.key_to_index)
        if known in self.key_to_index or not self._has_small_letters_only:
            return known if known in self.key_to_index else self._as_cut(word)
        # Letter by letter, as text is lower-cased.
        small = "".join(map(str.lower, unicodedata.normalize("NFC", word)))
        return small if small in self.key_to_index or self.subwords is not None else word

    @checked_arguments
    def words_in(self, text: str) -> list[str]:
        """Return the words of a text, known or not, as texts are embedded by them.

        Each is in the Unicode normal form in which it is known.
        """
        if self.split is None:
            return known_words(text, self.key_to_index)
        known = self.key_to_index
        words = self.split(text)
        return [word if word in known else known_form(word, known) for word in words]

    def has_index_for(self, word: str) -> bool:
        """Whether `word` has a vector, in the vocabulary or by its n-grams."""
        return word in self or self._has_parts(self.spelled(word))

    def get_index(self, word: str, default: int | None = None) -> int:
        """Return the row of `word` in `vectors`.

        Args:
            word: of the vocabulary.
            default: for a word that is not in it; None: that is an error.

        Raises:
            UnknownWordError: the word is not in the vocabulary.
        """
        if default is not None and word not in self:
            return default
        return self._row(word)

    @checked_arguments
    def get_vecattr(self, word: str, attribute: str) -> int:
        """Return what else is known of `word`: its "count" in the text.

        Args:
            word: a word.
            attribute: "count".

        Raises:
            UnknownWordError: the word is not in the vocabulary.
            SettingError: there is no such attribute.
        """
        if attribute != "count" or self.counts is None:
            raise SettingError(f"attribute = '{attribute}': these vectors do not have it.")
        return int(self.counts[self._row(word)])

    @property
    def vocab(self) -> Mapping[str, int]:
        """The words with their rows."""
        return MappingProxyType(self.key_to_index)

    @checked_arguments
    def get_vector(self, word: str, norm: bool = False) -> NDArray[np.float32]:
        """Return the vector of `word` (D,), of unit length with `norm`; read-only.

        Args:
            word: a word.
            norm: give it unit length.

        Raises:
            UnknownWordError: the word is not in the vocabulary; close ones are suggested.
        """
        return self._vector(word, norm=norm)

    def get_normed_vectors(self) -> NDArray[np.float32]:
        """Return all vectors with unit length (V, D), a new array; vectors of zeros stay zeros."""
        return unit_rows(self.vectors)

    @checked_arguments
    def get_mean_vector(
        self,
        words: Sequence[str | NDArray[Any]],
        weights: ArrayLike | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> NDArray[np.float32]:
        """Return the mean of words and vectors (D,); as in gensim, of no known word it is zero.

        Args:
            words: words, or vectors (D,).
            weights: (N,), of each; None: all weigh the same.
            pre_normalize: give each word unit length first.
            post_normalize: give the mean unit length.
            ignore_missing: leave out words without a vector, in place of an error.

        Raises:
            SettingError: there is nothing to take the mean of, or another number of weights.
            UnknownWordError: a word has no vector, and `ignore_missing` is False.
        """
        factors = (
            np.ones(len(words))
            if weights is None
            else np.atleast_1d(given_array(weights, "weights", np.float64))
        )
        if not len(words) or factors.shape != (len(words),):
            raise SettingError(
                f"{len(words)} words and {factors.size} weights have no mean; give one weight "
                "for each word."
            )
        for word in words:
            if not isinstance(word, str) and np.shape(word) != (self.vector_size,):
                raise ArgumentError(
                    f"{shown_value(word)} is neither a word nor a vector of {self.vector_size} "
                    "numbers: give one of these."
                )
        known = [
            (factor, self._vector(word, norm=pre_normalize) if isinstance(word, str) else word)
            for word, factor in zip(words, factors, strict=True)
            if not (isinstance(word, str) and ignore_missing and not self.has_index_for(word))
        ]
        total = sum(abs(factor) for factor, _ in known)
        summed = sum((factor * vector for factor, vector in known), np.zeros(self.vector_size))
        mean = np.asarray(summed / total if total else summed, np.float32)
        return unit_rows(mean[None])[0] if post_normalize else mean

    def _as_cut(self, word: str) -> str:
        """Return an unknown word as a text is cut, where it stays one word."""
        parts = [word] if self.split is None or self.subwords is None else self.split(word)
        return parts[0] if len(parts) == 1 else word

    @cached_property
    def _inverse_norms(self) -> NDArray[np.float32]:  # (V,); a whole unit matrix would be double
        return inverse_norms(self._comparable)

    @cached_property
    def _comparable(self) -> NDArray[np.float32]:  # (V, D); the vectors themselves, as a rule
        return comparable_rows(self.vectors)

    @cached_property
    def _has_small_letters_only(self) -> bool:
        return all(word == word.lower() for word in self.index_to_key)

    @property
    def _table(self) -> VectorTable:
        return VectorTable(self.index_to_key, self.vectors, self.counts, self.subwords)

    def _vectors_of(self, words: list[str]) -> NDArray[np.float32]:
        if all(word in self for word in words):
            return self.vectors[[self._row(word) for word in words]]
        return np.array([self._vector(word) for word in words])

    def _vector(self, word: str, *, norm: bool = False) -> NDArray[np.float32]:
        """Return what `get_vector` does, of a word that is surely a text."""
        row = self.key_to_index.get(self.spelled(word))
        if row is None:
            unseen = self._unseen_vector(self.spelled(word))
            return read_only(unit_rows(unseen[None])[0] if norm else unseen)
        if norm:
            return read_only(self._comparable[row] * self._inverse_norms[row])
        return read_only(self.vectors[row])

    def _unseen_vector(self, word: str) -> NDArray[np.float32]:
        vector = self._composed_vector(word)
        if vector is None:
            raise unknown_word(word, self.index_to_key, self.key_to_index)
        return vector

    def _has_parts(self, word: str) -> bool:
        return self._composed_vector(word) is not None

    def _composed_vector(self, word: str) -> NDArray[np.float32] | None:
        """Return what the parts of a word that is not in the vocabulary give (D,), if any."""
        return None if self.subwords is None else self.subwords.vector(word)

    def _row(self, word: str) -> int:
        row = self.key_to_index.get(self.spelled(word))
        if row is None:
            raise unknown_word(word, self.index_to_key, self.key_to_index)
        return row


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def first_rows(words: Sequence[str], case_insensitive: bool) -> dict[str, int]:
    """Return the row of each word; of words that differ only in case the first, under its capitals.

    The first is the most frequent one in the vocabularies that foretext, gensim, GloVe and fastText
    write. Capitals rather than small letters are gensim's choice, and decide which letters agree.
    """
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word.upper() if case_insensitive else word, row)
    return rows


def unknown_word(word: str, words: Sequence[str], known: Mapping[str, int]) -> UnknownWordError:
    """Return the error that says `word` is unknown, with words that may have been meant."""
    variants = [form for form in _case_variants(word) if form in known]
    return UnknownWordError(word, variants or _candidates(word, words))


def _case_variants(word: str) -> list[str]:
    return list(dict.fromkeys((word.lower(), word.upper(), word.capitalize(), word.title())))


def _candidates(word: str, words: Sequence[str]) -> list[str]:
    """Return words of about the same length that begin alike; comparing with all takes seconds."""
    shortest, longest = len(word) - 2, len(word) + 2
    alike = (
        other
        for other in words[:_MOST_SCANNED]
        if other[:1] == word[:1] and shortest <= len(other) <= longest
    )
    return [other for other, _ in zip(alike, range(_MOST_COMPARED), strict=False)]
