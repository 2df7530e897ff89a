"""Random numbers inside kernels: counted, so that a draw depends on its number alone."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["below", "draw_noise", "high32", "low32", "random64"]


@kernel(_nrt=False, inline="always")
def random64(counter):
    """Sixty-four random bits of a counter (splitmix64: Steele, Lea & Flood 2014, section 5)."""
    z = counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel(_nrt=False, inline="always")
def high32(bits):
    """The upper half of 64 random bits."""
    return bits >> np.uint64(32)


@kernel(_nrt=False, inline="always")
def low32(bits):
    """The lower half of 64 random bits, independent of the upper one."""
    return np.uint32(bits & np.uint64(0xFFFFFFFF))


@kernel(_nrt=False, inline="always")
def below(bits, limit):
    """Map 32 random bits to 0 ... limit - 1 by one multiplication (Lemire 2019)."""
    return np.int64((bits * np.uint64(limit)) >> np.uint64(32))


@kernel(_nrt=False)
def draw_noise(alias, counter):
    """One word of the noise distribution, by Walker's alias method.

    alias: (V, 2) uint32; a draw that falls on row r keeps r with chance ``alias[r, 0] / 2**32`` and
    becomes ``alias[r, 1]`` otherwise.
    """
    bits = random64(counter)
    word = below(high32(bits), alias.shape[0])
    other = np.int64(alias[word, 1])  # read in any case: a branch would be guessed wrong often
    return word if low32(bits) < alias[word, 0] else other
