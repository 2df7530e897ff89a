"""Steps of encoder-decoders on a CPU, against the same models in transformers, tuned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numba", "numpy")
PROGRAM = "benchmarks.encoder_decoder_program"
PEERS = {
    "t5": ("T5 1.1, 8 x (512 + 114) tokens", "T5ForConditionalGeneration", "no dropout"),
    "bart": ("BART, 16 x (128 + 128) tokens", "BartForConditionalGeneration", "no dropout"),
    "marian": ("Marian, 64 pairs of 8 to 32 tokens", "MarianMTModel", "dropout 0.1 on both sides"),
}


def rows() -> Iterator[Row]:
    """CPU seconds a step: four and four layers of width 256, 32,000 tokens."""
    for kind, (name, peer, dropout) in PEERS.items():
        run_program(PROGRAM, "foretext", kind, 0)  # compiles
        ours, theirs = paired(
            partial(run_program, PROGRAM, "foretext", kind),
            partial(run_program, PROGRAM, "tuned", kind),
        )
        yield Row(
            f"{name}, CPU seconds a step",
            f"transformers, {peer}, tuned (sdpa, bf16 if native, fused AdamW, {dropout})",
            f"{median(ours, 'seconds'):.2f}",
            f"{median(theirs, 'seconds'):.2f}",
            *ratios(ours, theirs, "seconds"),
            2.0,
        )
