"""What a linear tagger reads of a token: words around it, their shapes and spelling, and vectors.

Features are those of Ratnaparkhi 1996, "A Maximum Entropy Model for Part-of-Speech Tagging" (words
in a window of two, beginnings and endings), with the shapes of Finkel et al. 2005 and pairs of
neighbours; where each character is a token, pairs around it replace its spelling. The vectors of a
token and of both its neighbours are features as they are (Turian, Ratinov & Bengio 2010, "Word
Representations: A Simple and General Method for Semi-Supervised Learning", 6), all of one length.

A feature that no row to learn from has is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.corpus.decoding import Form, normalize
from foretext.kinds import opened_embedder
from foretext.tasks.tagging.chain_regression import ChainFeatures

__all__ = ["OFFSETS", "FrozenVectors", "TokenReader", "character_shape", "named_features"]

OFFSETS = (-1, 0, 1)  # neighbours whose vectors are read
WINDOW = (-2, -1, 0, 1, 2)  # whose words are
LONGEST_AFFIX = 4
BEFORE, AFTER = "<s>", "</s>"  # what stands around a sentence

Sentences = Sequence[Sequence[str]]


def named_features(tokens: Sequence[str], *, by_character: bool) -> list[list[str]]:
    """Return the names of the features of each token of a sentence.

    Args:
        tokens: T words, or characters.
        by_character: whether each character is a token.

    >>> named_features(["Rome"], by_character=True)[0][:4]
    ['bias', 'w-2=<s>', 'w-1=<s>', 'w0=rome']
    """
    small = _around([token.lower() for token in tokens])
    shapes = _around([_shape(token) for token in tokens])
    found = []
    for index, token in enumerate(tokens, start=len(WINDOW) // 2):
        (before, word, after), shape = small[index - 1 : index + 2], shapes[index]
        own = ["bias", *(f"w{offset}={small[index + offset]}" for offset in WINDOW)]
        own += [f"W={token}", f"s-1={shapes[index - 1]}", f"s0={shape}", f"s1={shapes[index + 1]}"]
        own += [f"w-1|0={before}|{word}", f"w0|1={word}|{after}"]
        own.append(f"s-1|0|1={shapes[index - 1]}|{shape}|{shapes[index + 1]}")
        if by_character:
            own.append(f"w-1|1={before}|{after}")
        else:
            sizes = range(1, min(LONGEST_AFFIX, len(token) - 1) + 1)
            own += [f"p{size}={token[:size]}" for size in sizes]
            own += [f"e{size}={token[-size:]}" for size in sizes]
        found.append(own)
    return found


def _around(words: list[str]) -> list[str]:
    """Return words with what stands around a sentence."""
    reach = len(WINDOW) // 2
    return [BEFORE] * reach + words + [AFTER] * reach


def _shape(token: str) -> str:
    """Return the classes of a token's characters, equal neighbours once: "McCoy-7" is XxXx-9."""
    found = ""
    for character in token:
        kind = character_shape(character)
        if found[-1:] != kind:
            found += kind
    return found


def character_shape(character: str) -> str:
    """Return the class of a character: X, x, 9 or c, and of other signs the sign itself."""
    if character.isupper():
        return "X"
    if character.islower():
        return "x"
    if character.isdigit():
        return "9"
    return "c" if character.isalpha() else character


@dataclass(frozen=True)
class FrozenVectors:
    """Word vectors that stay as they are.

    Attributes:
        name: what people call them.
        model: the `WordVectors`; those with n-grams have vectors of unknown words, too.
        source: where its files are; None: it was given opened.
    """

    name: str
    model: Any
    source: Path | None = None

    @classmethod
    def of(cls, given: Any) -> Self | None:
        """Open what the user gave: a path or opened vectors; None: there are none.

        Raises:
            ForetextError: there are none at the path, or they are damaged.
            SettingError: it is something else than word vectors.
        """
        if given is None:
            return None
        is_path = isinstance(given, str | Path)
        model, source = opened_embedder(given) if is_path else (given, None)
        name = str(given) if is_path else type(given).__name__
        try:
            is_of_words = model.weighs_words and model.tokenizer is None
        except AttributeError:  # something else that embeds texts, or nothing
            is_of_words = False
        if not is_of_words:
            raise SettingError(
                f"'{name}' holds no word vectors, which a linear tagger reads beside the words; "
                "give a run of word2vec, glove or fasttext, or a vector file."
            )
        return cls(name, model, source)

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        return int(self.model.vector_size)

    def knows(self, word: str) -> bool:
        """Whether a word has a vector, in the vocabulary or by its n-grams."""
        return bool(self.model.has_index_for(word))

    def table(self, words: Sequence[str], length: float) -> NDArray[np.float64]:
        """Return the vectors of words, (U, D), each of one length; 0 of what has none."""
        found = np.zeros((len(words), self.size))
        for row, word in enumerate(words):
            if self.knows(word):
                found[row] = self.model.get_vector(word)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        return length * found / np.where(norms > 0, norms, 1.0)


@dataclass(frozen=True)
class TokenReader:
    """Turns sentences into features.

    Attributes:
        names: (F,) features by name.
        by_character: whether each character is a token.
        vectors: that are read beside; None: there are none.
        length: of each vector.
        form: the Unicode normal form that tokens are brought into.
    """

    names: Sequence[str]
    by_character: bool
    vectors: FrozenVectors | None = None
    length: float = 1.0
    form: Form = "NFC"

    @classmethod
    def learn(
        cls,
        sentences: Sentences,
        *,
        by_character: bool,
        vectors: FrozenVectors | None,
        length: float,
        min_count: int,
    ) -> Self:
        """Return what reads the features of sentences.

        Args:
            sentences: the tokens of each.
            by_character: whether each character is a token.
            vectors: that are read beside.
            length: of each vector.
            min_count: tokens that a feature must occur at.
        """
        counts: dict[str, int] = {}
        for tokens in sentences:
            for name in chain(*named_features(tokens, by_character=by_character)):
                counts[name] = counts.get(name, 0) + 1
        names = [name for name, count in counts.items() if count >= min_count]
        return cls(names, by_character, vectors, length)

    @property
    def num_weights(self) -> int:
        """Of a tag."""
        dim = 0 if self.vectors is None else self.vectors.size
        return len(self.names) + len(OFFSETS) * dim

    def read(self, sentences: Sentences) -> ChainFeatures:
        """Return the features of all tokens."""
        own = [[normalize(token, self.form) for token in tokens] for tokens in sentences]
        starts = np.cumsum([0, *map(len, own)], dtype=np.int64)
        sparse = self._sparse(own)
        if self.vectors is None:
            return ChainFeatures(sparse, np.zeros((0, 0)), (), starts)
        words = {word: row for row, word in enumerate(dict.fromkeys(chain(*own)))}
        table = self.vectors.table([*words], self.length)
        rows = np.array([words[token] for token in chain(*own)], np.int64)
        neighbors = tuple(_beside(rows, starts, offset, len(words)) for offset in OFFSETS)
        return ChainFeatures(sparse, table, neighbors, starts)

    def num_unknown(self, sentences: Sentences) -> int:
        """Return how many tokens have no vector; 0 where none are read."""
        if self.vectors is None:
            return 0
        return sum(not self.vectors.knows(token) for token in chain(*sentences))

    def weights_of(self, tokens: Sequence[str], weights: NDArray[Any]) -> list[dict[str, Any]]:
        """Return what each feature by name of each token of a sentence weighs for each tag, (C,).

        Args:
            tokens: of the sentence.
            weights: (F + K D, C).
        """
        own = [normalize(token, self.form) for token in tokens]
        return [
            {name: weights[self._columns[name]] for name in names if name in self._columns}
            for names in named_features(own, by_character=self.by_character)
        ]

    @cached_property
    def _columns(self) -> Mapping[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    def _sparse(self, sentences: Sentences) -> Any:
        from scipy.sparse import csr_matrix

        columns, ends = list[int](), [0]
        for names in self._named(sentences):
            columns += [self._columns[name] for name in names if name in self._columns]
            ends.append(len(columns))
        shape = (len(ends) - 1, len(self.names))
        return csr_matrix((np.ones(len(columns)), np.array(columns, np.int32), ends), shape=shape)

    def _named(self, sentences: Sentences) -> Iterator[list[str]]:
        for tokens in sentences:
            yield from named_features(tokens, by_character=self.by_character)


def _beside(rows: NDArray[np.int64], starts: NDArray[np.int64], offset: int, num_words: int) -> Any:
    """Return the word that stands at an offset from each token in its sentence, (N, U) CSR."""
    from scipy.sparse import csr_matrix

    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    at = np.arange(len(rows)) + offset
    inside = (at >= 0) & (at < len(rows))
    inside[inside] = sentence[at[inside]] == sentence[inside]
    found = np.flatnonzero(inside)
    ones = np.ones(len(found))
    return csr_matrix((ones, (found, rows[at[found]])), shape=(len(rows), num_words))
