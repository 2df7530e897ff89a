"""A small language of labelled texts whose labels can be told by their words."""

from __future__ import annotations

import numpy as np

__all__ = ["ASKED", "NAMES", "labelled_texts"]

NAMES = ["sports", "science", "music", "world", "weather"]
ASKED = [
    "sports3é the of", "unseen words 日本 here", "the", "", "a\u00a0b c", " of  the ",
    "music1é music2é music3é", "world4é\tworld5é", "science7é \u3000 x",
]  # fmt: skip


def labelled_texts(size: int = 600, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and labels; the first labels are the most frequent."""
    rng = np.random.default_rng(seed)
    glue = ["日本", "the", "of"]
    words = {name: [f"{name}{number}é" for number in range(30)] + glue for name in NAMES}
    labels = [NAMES[min(int(rng.exponential(1.5)), len(NAMES) - 1)] for _ in range(size)]
    texts = [" ".join(rng.choice(words[label], rng.integers(2, 9))) for label in labels]
    return texts, labels
