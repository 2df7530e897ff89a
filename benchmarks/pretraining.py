"""Steps of BERT's, GPT's, XLNet's and DeBERTa's pretraining on a CPU, against transformers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numba", "numpy")
PROGRAM = "benchmarks.pretraining_program"
PEERS = {
    "tuned": "transformers, tuned (sdpa if it has it, bf16 if native, fused AdamW, no dropout)",
    "shipped": "transformers.Trainer as it ships (fp32)",
}
MUSTS = {
    ("masked", "tuned"): 3.0,
    ("masked", "shipped"): 9.0,
    ("causal", "tuned"): 1.3,
    ("permuted", "tuned"): 2.0,
    ("disentangled", "tuned"): 2.0,
}


def rows() -> Iterator[Row]:
    """Tokens a second of real steps, 4 layers of width 256, 20,000 tokens, 32 rows of 128."""
    for objective in dict.fromkeys(objective for objective, _ in MUSTS):
        run_program(PROGRAM, "foretext", objective, 0)  # compiles
    for (objective, side), must in MUSTS.items():
        ours, theirs = paired(
            partial(run_program, PROGRAM, "foretext", objective),
            partial(run_program, PROGRAM, side, objective),
        )
        yield Row(
            f"{objective} LM, tokens a second",
            PEERS[side],
            f"{median(ours, 'tokens_per_second'):,.0f}",
            f"{median(theirs, 'tokens_per_second'):,.0f}",
            *ratios(ours, theirs, "seconds"),
            must,
        )
