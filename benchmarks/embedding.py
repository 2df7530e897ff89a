"""Paragraphs to vectors by a model of MiniLM's form, 6 × 384, against sentence-transformers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.embedding_program import NUM_PARAGRAPHS
from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.language_models import make_model

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "sentence-transformers", "transformers", "torch", "numpy")
PROGRAM = "benchmarks.embedding_program"
OURS = {"auto": "foretext's default (bfloat16 where the processor has it)", "int8": "int8"}
MUST = {("auto", "fp32"): 3.5, ("auto", "bf16"): 1.5}


def rows() -> Iterator[Row]:
    """Paragraphs a second, by the peer's default float32 and by its bfloat16; then the cosines."""
    make_model("minilm")
    for own, name in OURS.items():
        for precision in ("fp32", "bf16"):
            ours, theirs = paired(_run("foretext", own), _run("peer", precision))
            yield Row(
                f"{NUM_PARAGRAPHS:,} paragraphs of enwiki, 40 to 800 characters, 6 × 384, {name}",
                f"sentence-transformers, {precision}",
                f"{median(ours, 'per_second'):.0f} paragraphs/s",
                f"{median(theirs, 'per_second'):.0f} paragraphs/s",
                *ratios(ours, theirs, "wall"),
                MUST.get((own, precision)),
            )
    run_program(PROGRAM, "peer", "fp32", 0)
    for own in OURS:
        cosines = _cosines(f"foretext-{own}", "peer-fp32")
        found = f"{cosines.mean():.5f}, lowest {cosines.min():.5f}"
        yield Row(f"{own}: mean cosine with float32", "", found, "")


def _run(program: str, precision: str) -> partial[Figures]:
    return partial(run_program, PROGRAM, program, precision)


def _cosines(ours: str, theirs: str) -> np.ndarray:
    vectors = [np.load(work_folder() / f"embedding-{side}.npy") for side in (ours, theirs)]
    a, b = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in vectors)
    cosines: np.ndarray = (a * b).sum(1)
    return cosines
