"""doc2vec against gensim: training CPU time, inference, documents found again by their text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.inputs import enwiki_words, num_words

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "gensim", "numba", "numpy")
NUM_WORDS = 3_000_000
COMMON: dict[str, Any] = {
    "vector_size": 100,
    "sample": 1e-3,
    "min_count": 5,
    "epochs": 3,
    "workers": 1,
    "min_alpha": 1e-4,
    "alpha": 0.025,
}
FORMS: tuple[tuple[str, dict[str, Any], float | None], ...] = (
    ("PV-DBOW, negative sampling", {"model": "dbow", "loss": "ns", "negative": 5}, 4),
    ("PV-DBOW, hierarchical", {"model": "dbow", "loss": "hs"}, None),
    (
        "PV-DBOW with words",
        {"model": "dbow", "dbow_words": True, "loss": "ns", "negative": 5, "window": 5},
        4,
    ),
    ("PV-DM, mean", {"model": "dm", "loss": "ns", "negative": 5, "window": 5}, 4),
)
PEER = "gensim, corpus_file"


def rows() -> Iterator[Row]:
    """Measure form after form."""
    text = enwiki_words(num_words(NUM_WORDS))
    for name, settings, must in FORMS:
        _train("foretext", _beginning(text), settings, 1)  # compiles, outside of what is measured
        ours, theirs = paired(
            partial(_train, "foretext", text, settings), partial(_train, "gensim", text, settings)
        )
        words = num_words(NUM_WORDS) * COMMON["epochs"]
        yield Row(
            f"{name}: training, words a CPU-second",
            PEER,
            f"{words / median(ours, 'train_cpu') / 1e6:.2f} M",
            f"{words / median(theirs, 'train_cpu') / 1e6:.2f} M",
            *ratios(ours, theirs, "train_cpu"),
            must,
        )
        yield Row(
            "the same, inference of 1,000 texts, CPU",
            PEER,
            f"{median(ours, 'infer_cpu'):.2f} s",
            f"{median(theirs, 'infer_cpu'):.2f} s",
            *ratios(ours, theirs, "infer_cpu"),
        )
        yield Row(
            "the same, nearest to its own text, of 1,000 texts",
            PEER,
            f"{median(ours, 'found_again_rate'):.3f}",
            f"{median(theirs, 'found_again_rate'):.3f}",
        )


def _train(program: str, text: Path, settings: dict[str, Any], seed: int) -> Figures:
    given = json.dumps({**COMMON, **settings, "seed": seed})
    return run_program("benchmarks.doc2vec_program", program, text, given)


def _beginning(text: Path) -> Path:
    small = work_folder() / "doc2vec-warm-up.txt"
    with text.open("rb") as source:
        small.write_bytes(source.read(1_000_000))
    return small
