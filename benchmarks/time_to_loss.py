"""How long it takes to come to the held-out loss that transformers, tuned, reaches in a given time.

Ours trains with budgets that are shares of the peer's, the shortest first, each a whole training
with a schedule of its own; the first that ends at the peer's loss or below it counts. Both see the
same rows of WikiText-2 and are judged on the same rows under one frozen mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.harness import Row, median, run_program, work_folder

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "transformers", "torch", "numba", "numpy")
PROGRAM = "benchmarks.time_to_loss_program"
SECONDS = 45  # that the peer trains
SHARES = (12, 8, 6, 5, 4, 3, 2.5, 2, 1)  # of its time, as one over these
PAIRS = 3
MUST = 2.5


def rows() -> Iterator[Row]:
    """BERT of 4 layers of width 256, and the recommended form with as many weights."""
    run_program(PROGRAM, "prepare", work_folder())
    run_program(PROGRAM, "bert", work_folder(), 5, 0)  # compiles
    peers = [run_program(PROGRAM, "tuned", work_folder(), SECONDS, seed) for seed in _seeds()]
    for recipe in ("bert", "modern-bert"):
        found = [
            _first(recipe, peer["loss"], seed) for peer, seed in zip(peers, _seeds(), strict=True)
        ]
        ratios = sorted(SECONDS / each["seconds"] for each in found)
        yield Row(
            f"{recipe}: seconds to the loss, {median(found, 'loss'):.2f} against "
            f"{median(peers, 'loss'):.2f}",
            "transformers, tuned (sdpa, bf16 if native, fused AdamW, no dropout)",
            f"{median(found, 'seconds'):.1f} s",
            f"{SECONDS} s",
            ratios[len(ratios) // 2],
            (ratios[0], ratios[-1]),
            MUST,
        )


def _first(recipe: str, loss: float, seed: int) -> dict[str, Any]:
    """The shortest training that comes to a loss."""
    for share in SHARES:
        found = run_program(PROGRAM, recipe, work_folder(), SECONDS / share, seed)
        if found["loss"] <= loss:
            return found
    raise SystemExit(f"{recipe} does not come to {loss:.3f} in {SECONDS} s.")


def _seeds() -> range:
    return range(1, PAIRS + 1)
