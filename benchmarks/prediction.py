"""Labels of texts by a fine-tuned BERT, against transformers' pipeline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.harness import Figures, Row, median, ratios, run_program, work_folder
from benchmarks.labelled_texts import make_classifier
from benchmarks.prediction_program import NUM_TEXTS

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numba", "numpy")
PROGRAM = "benchmarks.prediction_program"
PEERS = {
    "fp32": "transformers.pipeline as it ships (fp32), batch_size=32",
    "bf16": "transformers.pipeline, tuned (bf16, sdpa, texts sorted), batch_size=32",
}
OURS = {"auto": "default precision", "int8": "int8", "fp32": "fp32"}
MUST = {("auto", "fp32"): 3.0, ("auto", "bf16"): 3.0}
LABELS = (("auto", "bf16"), ("auto", "fp32"), ("int8", "fp32"), ("fp32", "fp32"))  # compared
PAIRS = 3


def rows() -> Iterator[Row]:
    """Texts a second, raw text to label; then how many labels are the same."""
    for size, nums in NUM_TEXTS.items():
        make_classifier(size)
        ours: dict[str, list[Figures]] = {side: [] for side in OURS}
        theirs: dict[str, list[Figures]] = {side: [] for side in PEERS}
        for pair in range(1, PAIRS + 1):
            for program, runs in (("foretext", ours), ("peer", theirs)):
                for side, figures in runs.items():
                    figures.append(run_program(PROGRAM, program, side, size, pair))
        for name, num in nums.items():
            for (own, kind), (side, peer) in product(OURS.items(), PEERS.items()):
                work = f"bert-{size}, {num:,} texts of {name}, foretext's {kind}"
                found = ratios(ours[own], theirs[side], name)
                speeds = [num / median(runs, name) for runs in (ours[own], theirs[side])]
                own_speed, peers_speed = (f"{speed:.0f} texts/s" for speed in speeds)
                yield Row(work, peer, own_speed, peers_speed, *found, MUST.get((own, side)))
        for own, side in LABELS:
            work = f"bert-{size}, the same labels, ours by {own}"
            yield Row(work, f"pipeline by {side}", _same(size, own, side), "")


def _same(size: str, precision: str, peers_precision: str) -> str:
    """The share of texts of each kind that both sides give one label."""
    ours, theirs = (
        json.loads((work_folder() / f"prediction-{side}-{size}.json").read_text("utf-8"))
        for side in (f"foretext-{precision}", f"peer-{peers_precision}")
    )
    shares = {name: np.mean(np.array(found) == theirs[name]) for name, found in ours.items()}
    return ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
