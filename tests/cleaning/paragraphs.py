"""Paragraphs of made-up words, and copies of them in which words are replaced."""

from __future__ import annotations

import random

__all__ = ["edited", "paragraph", "planted"]

SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "ra", "si", "te", "vo"]
VOCABULARY = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]


def paragraph(rng: random.Random, num_words: int = 120) -> str:
    """Words of which some are frequent, as in a language."""
    ranks = (min(int(rng.paretovariate(0.6)), len(VOCABULARY)) - 1 for _ in range(num_words))
    return " ".join(VOCABULARY[rank] for rank in ranks)


def edited(text: str, rate: float, rng: random.Random) -> str:
    """Replace this share of the words, each by chance."""
    words = text.split()
    return " ".join(rng.choice(VOCABULARY) if rng.random() < rate else word for word in words)


def planted(num: int, most: float = 0.4, seed: int = 1) -> list[str]:
    """`num` paragraphs, then a copy of each, from 0 to `most` of its words replaced."""
    rng = random.Random(seed)
    first = [paragraph(rng) for _ in range(num)]
    return first + [edited(text, rng.random() * most, rng) for text in first]
