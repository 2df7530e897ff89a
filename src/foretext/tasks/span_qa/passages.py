"""Passages and questions as ids with the characters that each id comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tokenizers.base import Tokenizer

__all__ = ["EncodedPassage", "encode_passages"]

_AT_ONCE = 1000  # encodings of the library are large


class EncodedPassage(NamedTuple):
    """The tokens of a text, T of them."""

    ids: NDArray[np.int32]  # (T,)
    offsets: NDArray[np.int32]  # (T, 2) characters of the text as given, the second one excluded

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last token of the characters from `start` up to `end`.

        None: no token stands there.
        """
        first = int(np.searchsorted(self.offsets[:, 1], start, side="right"))
        last = int(np.searchsorted(self.offsets[:, 0], end, side="left")) - 1
        return (first, last) if first <= last else None


def encode_passages(tokenizer: Tokenizer, texts: Iterable[str]) -> dict[str, EncodedPassage]:
    """Encode each different text once."""
    distinct = list(dict.fromkeys(texts))
    encoded: dict[str, EncodedPassage] = {}
    for start in range(0, len(distinct), _AT_ONCE):
        some = distinct[start : start + _AT_ONCE]
        found = tokenizer.encode_with_offsets(some)
        encoded.update((text, EncodedPassage(*ids)) for text, ids in zip(some, found, strict=True))
    return encoded
