"""A small language whose words have known neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foretext.vectors.word_vectors import WordVectors

TOPICS = {
    "sea": ["ship", "harbour", "wave", "sailor", "anchor", "tide", "mast", "captain"],
    "farm": ["plough", "wheat", "barn", "cow", "meadow", "harvest", "tractor", "hay"],
    "court": ["judge", "jury", "verdict", "lawyer", "appeal", "witness", "trial", "clerk"],
}
GLUE = ["the", "of", "and", "a", "in", "to"]


def write_topics(path: Path, documents: int = 400, seed: int = 0) -> Path:
    """Write documents of twenty words, each on one topic, with words of all topics between."""
    rng = np.random.default_rng(seed)
    names = list(TOPICS)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(documents):
            words = TOPICS[names[rng.integers(len(names))]]
            drawn = [
                GLUE[rng.integers(len(GLUE))] if rng.random() < 0.3 else words[rng.integers(8)]
                for _ in range(20)
            ]
            file.write(" ".join(drawn) + "\n")
    return path


def topic_of(word: str) -> str | None:
    return next((topic for topic, words in TOPICS.items() if word in words), None)


def share_in_topic(vectors: WordVectors) -> float:
    """How many of the nearest five words of a topic's words are of the same topic."""
    right = [
        topic_of(near) == topic
        for topic, words in TOPICS.items()
        for word in words
        for near, _ in vectors.most_similar(word, topn=5)
    ]
    return sum(right) / len(right)
