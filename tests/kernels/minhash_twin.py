"""The kernels of `foretext.kernels.minhash` in plain Python and numpy, a word at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BASE, FINISHER, BITS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, (1 << 64) - 1


def word_hash(word: str) -> int:
    data = word.encode()
    mixed = len(data) * FINISHER & BITS
    for start in range(0, len(data), 8):
        mixed = (mixed ^ int.from_bytes(data[start : start + 8], "little")) * BASE & BITS
        mixed ^= mixed >> 32
    mixed = mixed * FINISHER & BITS
    return mixed ^ (mixed >> 32)


def gram_hashes(words: Sequence[int], n: int) -> list[int]:
    if not words:
        return []
    grams = [words[at : at + n] for at in range(max(len(words) - n + 1, 1))]
    return [sum(w * BASE**power for power, w in enumerate(reversed(gram))) & BITS for gram in grams]


def minhash(
    grams: Sequence[int], multipliers: NDArray[np.uint32], increments: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    if not grams:
        return np.full(len(multipliers), 0xFFFFFFFF, np.uint32)
    upper = np.array([gram >> 32 for gram in grams], np.uint32)
    return (np.multiply.outer(upper, multipliers) + increments).min(axis=0)


def band_keys(signature: NDArray[np.uint32], num_bands: int) -> list[int]:
    keys = []
    for band, rows in enumerate(signature.reshape(num_bands, -1).tolist()):
        key = band
        for row in rows:
            key = (key ^ row) * BASE & BITS
            key ^= key >> 32
        keys.append(key * FINISHER & BITS)
    return keys
