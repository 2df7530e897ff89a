"""One token after another by a GPT of 13 million parameters, against Hugging Face's generate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program
from benchmarks.language_models import make_model

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numpy")
PROGRAM = "benchmarks.generation_program"


def rows() -> Iterator[Row]:
    """Tokens a second, greedy; and whether the tokens are the same."""
    make_model("gpt")
    for precision in ("fp32", "bf16"):
        ours, theirs = paired(_run("foretext", "auto"), _run("peer", precision))
        yield Row(
            "200 tokens behind 16, 6 × 320, foretext's default (weights in bfloat16)",
            f"transformers, generate(do_sample=False), {precision}",
            f"{median(ours, 'per_second'):.0f} tokens/s",
            f"{median(theirs, 'per_second'):.0f} tokens/s",
            *ratios(ours, theirs, "wall"),
            1.3,
        )
    ours, theirs = paired(_run("foretext", "fp32"), _run("peer", "fp32"))
    yield Row(
        "the same, both in float32",
        "transformers, generate(do_sample=False), fp32",
        f"{median(ours, 'per_second'):.0f} tokens/s",
        f"{median(theirs, 'per_second'):.0f} tokens/s",
        *ratios(ours, theirs, "wall"),
    )
    same = all(own["ids"] == peer["ids"] for own, peer in zip(ours, theirs, strict=True))
    yield Row("float32: the same tokens", "", "yes" if same else "NO", "")


def _run(program: str, precision: str) -> partial[Figures]:
    return partial(run_program, PROGRAM, program, precision)
