"""Steps of BERT base on a GPU, on English Wikipedia, against the tuned Trainer of transformers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import torch

from benchmarks.gpu_material import material
from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numpy")
PROGRAM = "benchmarks.gpu_pretraining_program"
PEER = (
    "transformers.Trainer, tuned (sdpa, bf16, torch.compile, fused AdamW, no dropout, 4 workers "
    "that mask)"
)


def rows() -> Iterator[Row]:
    """Tokens a second of real steps: 12 layers of 768, 30,000 tokens, 256 rows of 128."""
    if not torch.cuda.is_available():
        print("gpu_pretraining needs a GPU; there is none.", file=sys.stderr)
        return
    folder = material()
    run_program(PROGRAM, "foretext", folder)  # compiles; so does the first of theirs
    run_program(PROGRAM, "tuned", folder)
    ours, theirs = paired(
        lambda seed: run_program(PROGRAM, "foretext", folder, seed),
        partial(run_program, PROGRAM, "tuned", folder),
    )
    name = f"masked LM, base, {ours[0]['device']}"
    share = median(ours, "utilization")
    yield Row(
        f"{name}: tokens a second",
        PEER,
        f"{median(ours, 'tokens_per_second'):,.0f} (MFU {share:.0%})",
        f"{median(theirs, 'tokens_per_second'):,.0f}",
        *ratios(ours, theirs, "seconds"),
        1.5,
    )
    yield Row(
        f"{name}: memory",
        PEER,
        f"{median(ours, 'gigabytes'):.1f} GB",
        f"{median(theirs, 'gigabytes'):.1f} GB",
        *ratios(ours, theirs, "gigabytes"),
    )
