"""Words that a vocabulary does not have, for networks that read their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.decoding import Form, normalize, normalized
from foretext.shards.portable import Portable
from foretext.tokenizers.alphabet import spelled
from foretext.tokenizers.base import OffsetIds
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Encoding

__all__ = ["OpenVocabulary"]


class OpenVocabulary(SubwordTokenizer):
    """A tokenizer that gives each unknown word an id of its own, from V on, as it meets them.

    Such ids have a meaning only beside `spelling`; so it is made for some texts, whose rows keep
    both.

    Args:
        closed: the tokenizer with the vocabulary of V tokens.
    """

    def __init__(self, closed: SubwordTokenizer) -> None:
        super().__init__(closed.library, closed.ends)
        self._known, self._unknown = closed.tokens, closed.special.unknown
        self._new: dict[str, int] = {}  # the id of each unknown word, the smallest first

    def composing(self, form: Form) -> Self:
        """Return itself: it is made of a tokenizer that composes already."""
        return self

    @property
    def portable(self) -> Portable | None:
        """Nothing: another process would give new words other ids."""
        return None

    @property
    def tokens(self) -> list[str]:
        """Tokens by id, then the unknown words that it has met."""
        return [*self._known, *self._new]

    @property
    def spelling(self) -> NDArray[np.uint8]:
        """How the words are spelled that have ids from V on, (U, K)."""
        return spelled(list(self._new))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text."""
        given = [normalize(text, self.form) for text in texts]
        return [
            self._opened(text, encoding)
            for text, encoding in zip(given, self._encodings(given), strict=True)
        ]

    def encode_with_offsets(self, texts: Sequence[str]) -> list[OffsetIds]:
        """Return the ids of each text with the characters that they stand for."""
        given = [normalized(text, self.form) for text in texts]
        encodings = self._encodings([each.text for each in given])
        return [
            OffsetIds(
                np.array(self._opened(each.text, encoding), np.int32),
                OffsetIds.of(encoding, each).offsets,
            )
            for each, encoding in zip(given, encodings, strict=True)
        ]

    def _opened(self, text: str, encoding: Encoding) -> list[int]:
        """Return the ids of a text, with those of its unknown words."""
        ids: list[int] = encoding.ids
        if self._unknown is None or self._unknown not in ids:
            return ids
        offsets = encoding.offsets
        return [
            self._id_of(text[slice(*offsets[place])]) if token == self._unknown else token
            for place, token in enumerate(ids)
        ]

    def _id_of(self, written: str) -> int:
        normalizer = self.library.normalizer
        word = written if normalizer is None else normalizer.normalize_str(written)
        return self._new.setdefault(word, len(self._known) + len(self._new))
