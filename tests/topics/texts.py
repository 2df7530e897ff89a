"""Documents that are drawn from known topics."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NUM_TOPICS = 5
OWN_WORDS = 30  # of each topic
COMMON = ("the", "of", "and")  # in nearly every document


def own_word(topic: int, number: int) -> str:
    return f"{'abcde'[topic]}{chr(97 + number // 6)}{chr(97 + number % 6)}x"


def draw_documents(size: int, *, seed: int = 1, length: int = 60) -> list[str]:
    """Mixtures of topics, each with words of its own and a few of its neighbour's."""
    rng = np.random.default_rng(seed)
    words = [[own_word(topic, number) for number in range(OWN_WORDS)] for topic in range(5)]
    found = []
    for _ in range(size):
        shares = rng.dirichlet(np.full(NUM_TOPICS, 0.2))
        drawn = []
        for topic in rng.choice(NUM_TOPICS, length, p=shares):
            of = topic if rng.random() < 0.9 else (topic + 1) % NUM_TOPICS
            drawn.append(words[of][min(int(rng.exponential(8)), OWN_WORDS - 1)])
        found.append(" ".join([*drawn, *rng.choice(COMMON, 6)]))
    return found


def write_documents(path: Path, size: int, *, seed: int = 1) -> Path:
    path.write_text("\n\n".join(draw_documents(size, seed=seed)) + "\n", encoding="utf-8")
    return path
