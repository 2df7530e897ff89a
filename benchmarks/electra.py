"""Steps of ELECTRA's pretraining on a CPU, against its two models in transformers, tuned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numba", "numpy")
PROGRAM = "benchmarks.electra_program"
PEER = (
    "transformers, ElectraForMaskedLM and ElectraForPreTraining, shared embeddings, tuned (sdpa, "
    "bf16 if native, fused AdamW, no dropout)"
)


def rows() -> Iterator[Row]:
    """Tokens a second of real steps, 4 layers of width 256, 20,000 tokens, 32 rows of 128."""
    run_program(PROGRAM, "foretext", 0)  # compiles
    ours, theirs = paired(
        partial(run_program, PROGRAM, "foretext"), partial(run_program, PROGRAM, "tuned")
    )
    yield Row(
        "ELECTRA, tokens a second",
        PEER,
        f"{median(ours, 'tokens_per_second'):,.0f}",
        f"{median(theirs, 'tokens_per_second'):,.0f}",
        *ratios(ours, theirs, "seconds"),
        2.0,
    )
