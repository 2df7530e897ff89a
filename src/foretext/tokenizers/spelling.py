"""The spelling of words as bytes of UTF-8: any word of any script, without an alphabet to learn.

The characters of ELMo's words are bytes too (Peters et al. 2018, by its published program).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["LONGEST", "NUM_BYTES", "spelled"]

NUM_BYTES = 256  # ids; 0 stands for none
LONGEST = 50  # bytes of a word that are read, with its marks: of a longer one both ends
BEGIN, END = b"\xfe", b"\xff"  # marks around a word; no byte of UTF-8 has these values


def spelled(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the bytes of each word between marks, (N, K), 0 behind its end."""
    table = np.zeros((len(words), LONGEST), np.uint8)
    for row, word in zip(table, words, strict=True):
        marked = _marked(word)
        row[: len(marked)] = np.frombuffer(marked, np.uint8)
    return table


def _marked(word: str) -> bytes:
    found, room = word.encode("utf-8", "replace"), LONGEST - 2
    if len(found) > room:
        found = found[: room // 2] + found[-(room // 2) :]
    return BEGIN + found + END
