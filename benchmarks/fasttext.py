"""fastText against the authors' C++ program: training CPU time, quality, memory.

The peer is the package ``fasttext`` of PyPI, which compiles the program; it needs a C++ compiler
and is no part of any extra: ``pip install fasttext``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.harness import (
    Figures,
    Row,
    data_folder,
    median,
    paired,
    ratios,
    run_program,
    work_folder,
)
from benchmarks.inputs import enwiki_words, num_words

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "numpy")
NUM_WORDS = 2_000_000
PEER = "fasttext 0.9.3 (C++)"
COMMON: dict[str, Any] = {"vector_size": 100, "epochs": 5, "workers": 2}
FORMS: tuple[tuple[str, dict[str, Any], float | None], ...] = (
    ("skip-gram, n-grams 3 to 6", {"model": "skipgram", "loss": "ns"}, 4),
    ("CBOW, n-grams 3 to 6", {"model": "cbow", "loss": "ns"}, 4),
    ("skip-gram, hierarchical, n-grams 3 to 6", {"model": "skipgram", "loss": "hs"}, None),
)


def rows() -> Iterator[Row]:
    """Measure form after form."""
    if find_spec("fasttext") is None:
        yield Row("all", PEER, ours="not measured", theirs="not there: pip install fasttext")
        return
    text = enwiki_words(num_words(NUM_WORDS))
    small = enwiki_words(200_000)
    for name, settings, must in FORMS:
        _train("foretext", small, settings, 1)  # compile
        ours, theirs = paired(
            partial(_train, "foretext", text, settings), partial(_train, "fasttext", text, settings)
        )
        words = num_words(NUM_WORDS) * COMMON["epochs"]
        own, other = (f"{words / median(runs, 'train_cpu') / 1e6:.2f} M" for runs in (ours, theirs))
        speed = ratios(ours, theirs, "train_cpu")
        yield Row(f"{name}: training, words a CPU-second", PEER, own, other, *speed, must)
        for figure, work, needed in (
            ("total_wall", "file to saved model, wall, s", None),
            ("peak_mb", "peak memory, MB", 2.0),
        ):
            own, other = (f"{median(runs, figure):.0f}" for runs in (ours, theirs))
            yield Row(f"{name}: {work}", PEER, own, other, *ratios(ours, theirs, figure), needed)
        for measure in ("WordSim-353", "analogies", "WordSim-353 as if unseen"):
            own, other = (f"{median(runs, measure):.3f}" for runs in (ours, theirs))
            yield Row(f"{name}: {measure}", PEER, own, other)


def _train(program: str, text: Path, settings: dict[str, Any], seed: int) -> Figures:
    out = work_folder() / f"{program}-fasttext.bin"
    given = json.dumps({**COMMON, **settings, "seed": seed})
    figures = run_program("benchmarks.fasttext_program", program, text, out, given)
    return figures | _scores(out)


def _scores(path: Path) -> Figures:
    """Quality of the words, and of the same words made of their n-grams alone."""
    from foretext.vectors.word_vectors import WordVectors

    vectors = WordVectors.load(path)
    assert vectors.subwords is not None
    data = data_folder()
    similarity = data / "wordsim" / "EN-WS-353-ALL.txt"
    questions = data / "analogy" / "questions-words.txt"
    sums, counts = vectors.subwords.sums(vectors.index_to_key)
    unseen = WordVectors(vectors.index_to_key, sums / counts.clip(1)[:, None])
    return {
        "WordSim-353": vectors.evaluate_word_pairs(similarity).spearman,
        "WordSim-353 as if unseen": unseen.evaluate_word_pairs(similarity).spearman,
        "analogies": vectors.evaluate_word_analogies(questions, restrict_vocab=30_000).accuracy,
    }
