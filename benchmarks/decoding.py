"""Beam search over 1,000 sources by a BART of 12 layers, against transformers and CTranslate2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.decoding_model import make_model
from benchmarks.harness import Figures, Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "ctranslate2", "torch", "numpy")
PROGRAM = "benchmarks.decoding_program"
WORK = "1,000 sources, beam 4, 6 + 6 × 512, 32,000 tokens"


def rows() -> Iterator[Row]:
    """Sources a second; and whether the outputs are the same."""
    make_model()
    for ours, name, theirs in (
        ("fp32", "transformers", "fp32"),
        ("bf16", "transformers", "bf16"),
        ("bf16", "transformers", "fp32"),
        ("fp32", "ctranslate2", "float32"),
        ("bf16", "ctranslate2", "int8"),
    ):
        own, peer = paired(_run("foretext", ours), _run(name, theirs), pairs=1)
        yield Row(
            f"{WORK}, {ours}",
            f"{name}, {theirs}",
            f"{median(own, 'per_second'):.1f} sources/s",
            f"{median(peer, 'per_second'):.1f} sources/s",
            *ratios(own, peer, "cpu"),
            3.0 if name == "transformers" else None,
        )
        if ours == "fp32":
            pairs = zip(own[0]["outputs"], peer[0]["outputs"], strict=True)
            same = sum(left == right for left, right in pairs)
            yield Row("the same outputs", name, f"{same:,} of {len(own[0]['outputs']):,}", "")


def _run(program: str, precision: str) -> partial[Figures]:
    return partial(run_program, PROGRAM, program, precision)
