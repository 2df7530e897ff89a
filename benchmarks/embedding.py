"""Sentences to vectors by a BERT of 6 layers × 384, against sentence-transformers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.language_models import make_model

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "sentence-transformers", "transformers", "torch", "numpy")
PROGRAM = "benchmarks.embedding_program"
MUST = {"fp32": 3.0, "bf16": 1.2}


def rows() -> Iterator[Row]:
    """Sentences a second, by the peer's default float32 and by its bfloat16; then the cosine."""
    make_model("minilm")
    for precision, must in MUST.items():
        ours, theirs = paired(_run("foretext", "auto"), _run("peer", precision))
        yield Row(
            "2,000 sentences, 6 × 384, foretext's default (bfloat16 where the processor has it)",
            f"sentence-transformers, {precision}",
            f"{median(ours, 'per_second'):.0f} sentences/s",
            f"{median(theirs, 'per_second'):.0f} sentences/s",
            *ratios(ours, theirs, "wall"),
            must,
        )
    run_program(PROGRAM, "peer", "fp32", 0)
    exact, own = (np.load(work_folder() / f"embedding-{name}.npy") for name in ("peer", "foretext"))
    cosines = (exact * own).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(own, axis=1)
    yield Row("lowest cosine with float32", "", f"{cosines.min():.5f}", "")


def _run(program: str, precision: str) -> partial[Figures]:
    return partial(run_program, PROGRAM, program, precision)
