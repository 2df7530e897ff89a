"""Near duplicates among 50,000 paragraphs of enwiki and 10,000 edited copies, one thread each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "rensa", "datasketch", "numba", "numpy")
PROGRAM = "benchmarks.near_duplicates_program"
NUM, FEW = 50_000, 5_000
JOBS: tuple[tuple[str, str, str, str, int, float | None], ...] = (
    # work, our program, the peer's, what the peer does, paragraphs, ratio to be met
    ("texts to duplicates", "foretext", "rensa", "rensa, deduplicator", NUM, 1.0),
    (
        "hashes of n-grams to duplicates",
        "foretext-hashes",
        "rensa-hashes",
        "rensa, matrix and flags, nothing verified",
        NUM,
        None,
    ),
    ("texts to duplicates", "foretext", "datasketch", "datasketch, bulk and LSH", FEW, 1.0),
)


def rows() -> Iterator[Row]:
    """CPU time of each job, and F1 of the copies against the true Jaccard index."""
    run_program(PROGRAM, "foretext", FEW, 0)  # compiles
    for work, our_program, their_program, peer, num, must in JOBS:
        ours, theirs = paired(
            partial(run_program, PROGRAM, our_program, num),
            partial(run_program, PROGRAM, their_program, num),
        )
        yield Row(
            f"{num:,} paragraphs, {work}: CPU",
            peer,
            _time(ours),
            _time(theirs),
            *ratios(ours, theirs, "cpu"),
            must,
        )
        yield Row("F1 of copies", peer, f"{median(ours, 'f1'):.3f}", f"{median(theirs, 'f1'):.3f}")


def _time(figures: Sequence[dict[str, Any]]) -> str:
    return f"{median(figures, 'cpu'):.2f} s"
