"""Many texts as ids that lie end to end: what reads them all at once needs no list for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tokenizers.word_encoder import WordEncoder

__all__ = ["LaidTexts", "laid", "lay_texts"]


class LaidTexts(NamedTuple):
    """Text t has ``ids[starts[t] : starts[t + 1]]``."""

    ids: NDArray[np.uint32]  # (N,)
    starts: NDArray[np.int64]  # (T + 1,)


def lay_texts(
    texts: Sequence[str],
    words: WordEncoder | None,
    encode: Callable[[Sequence[str]], list[list[int]]],
) -> LaidTexts:
    """Return the ids of texts.

    Args:
        texts: of any kind, empty ones too.
        words: what remembers the tokens of words; None: the tokenizer depends on more than words.
        encode: encodes texts that `words` cannot, with equal ids.
    """
    found = None if words is None else _by_words(texts, words)
    return found or laid(encode(texts))


def _by_words(texts: Sequence[str], words: WordEncoder) -> LaidTexts | None:
    """Encode all texts as the lines of one; None where only the library can."""
    if any("\n" in text for text in texts):
        if not words.ignores_line_ends:
            return None
        texts = [text.replace("\n", " ") for text in texts]
    filled = np.fromiter(map(bool, texts), np.bool_, len(texts))  # an empty line is no sentence
    block = words.encode("\n".join(filter(None, texts)))
    if block is None or len(block.sentence_starts) != filled.sum():
        return None
    starts = np.full(len(texts) + 1, block.ids.size, np.int64)
    starts[:-1][filled] = block.sentence_starts
    for empty in np.flatnonzero(~filled)[::-1]:
        starts[empty] = starts[empty + 1]
    return LaidTexts(block.ids, starts)


def laid(encoded: Sequence[Sequence[int]]) -> LaidTexts:
    """Return ids that are in a list for each text."""
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    ids = np.fromiter(chain.from_iterable(encoded), np.uint32, int(starts[-1]))
    return LaidTexts(ids, starts)
