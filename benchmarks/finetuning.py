"""An epoch of fine-tuning BERT for labels, against transformers' Trainer tuned and as it ships."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.finetuning_program import NUM_ROWS
from benchmarks.harness import Figures, Row, median, ratios, run_program
from benchmarks.labelled_texts import TEXTS
from benchmarks.language_models import make_model

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "accelerate", "torch", "numba", "numpy")
PROGRAM = "benchmarks.finetuning_program"
SIZE = "mini"
SIDES = ("foretext", "tuned", "shipped")
PEERS = {
    "tuned": "transformers.Trainer, tuned (sdpa, bf16 if native, fused AdamW, like lengths)",
    "shipped": "transformers.Trainer as it ships (fp32)",
}
MUST = {"tuned": 2.0, "shipped": None}
PAIRS = 3


def rows() -> Iterator[Row]:
    """Texts a second of whole epochs in batches of 32; then the mean losses of these epochs."""
    make_model(f"bert-{SIZE}")
    runs: dict[str, list[Figures]] = {side: [] for side in SIDES}
    for seed in range(1, PAIRS + 1):
        for side in SIDES:
            runs[side].append(run_program(PROGRAM, side, SIZE, seed))
    for texts in TEXTS:
        num = NUM_ROWS[texts.name]
        work = f"bert-{SIZE}, {num:,} texts of {texts.name}, {texts.max_length} tokens at most"
        for side, peer in PEERS.items():
            speeds = (num / median(runs[each], texts.name) for each in ("foretext", side))
            own, other = (f"{speed:.0f} texts/s" for speed in speeds)
            speed = ratios(runs["foretext"], runs[side], texts.name)
            yield Row(f"{work}: an epoch", peer, own, other, *speed, MUST[side])
        losses = {
            side: f"{median(found, f'{texts.name} loss'):.3f}" for side, found in runs.items()
        }
        ours = losses.pop("foretext")
        yield Row(f"{work}: mean loss", ", ".join(losses), ours, ", ".join(losses.values()))
