"""One round of questions to one of the programs; figures as JSON.

``python -m benchmarks.neighbors_program foretext|gensim|index SEED``

The vectors are drawn around a few thousand centres, so that words have neighbours as real ones do.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUM_WORDS, DIM, NUM_CENTRES = 100_000, 100, 3_000
NUM_QUESTIONS, TOPN = 1_000, 10
NUM_ROUNDS = 5

Answers = list[list[tuple[str, float]]]


def main() -> None:
    program, seed = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(NUM_WORDS)]
    questions = [f"w{number}" for number in rng.permutation(NUM_WORDS)[:NUM_QUESTIONS]]
    ask = {"foretext": ask_foretext, "gensim": ask_gensim, "index": ask_index}[program]
    print(json.dumps(ask(words, drawn_vectors(rng), questions)))


def drawn_vectors(rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw (NUM_WORDS, DIM) vectors."""
    centres = rng.standard_normal((NUM_CENTRES, DIM), dtype=np.float32)
    around = rng.standard_normal((NUM_WORDS, DIM), dtype=np.float32)
    vectors: NDArray[np.float32] = centres[rng.integers(NUM_CENTRES, size=NUM_WORDS)] + around
    return vectors


def ask_foretext(
    words: list[str], vectors: NDArray[np.float32], questions: list[str]
) -> dict[str, Any]:
    import foretext as ft

    known = ft.WordVectors(words, vectors)
    known.neighbors(questions[:2], TOPN)  # norms and kernel are there
    return timed(lambda: known.neighbors(questions, TOPN))


def ask_gensim(
    words: list[str], vectors: NDArray[np.float32], questions: list[str]
) -> dict[str, Any]:
    from gensim.models import KeyedVectors

    known = KeyedVectors(DIM)
    known.add_vectors(words, vectors)
    known.most_similar(questions[0], topn=TOPN)  # norms are there
    return timed(lambda: [known.most_similar(word, topn=TOPN) for word in questions])


def ask_index(
    words: list[str], vectors: NDArray[np.float32], questions: list[str]
) -> dict[str, Any]:
    import foretext as ft
    from foretext.vectors.neighbor_graph import NeighborIndex

    began = time.perf_counter()
    index = NeighborIndex.build(ft.WordVectors(words, vectors))
    build = time.perf_counter() - began
    return timed(lambda: index.neighbors(questions, TOPN)) | {
        "build": build,
        "recall": index.recall(),
    }


def timed(ask: Callable[[], Answers]) -> dict[str, Any]:
    """Ask in rounds; wall and CPU time of the fastest, with a digest of the words that were named.

    A round takes so little time that whatever else the machine does would decide a single one.
    """
    rounds = []
    for _ in range(NUM_ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        answers = ask()
        rounds.append((time.perf_counter() - wall, time.process_time() - cpu))
    named = json.dumps([[word for word, _ in near] for near in answers])
    spent = dict(zip(("wall", "cpu"), min(rounds), strict=True))
    return spent | {"named": hashlib.sha256(named.encode()).hexdigest()}


if __name__ == "__main__":
    main()
