"""Nearest words of 1,000 words among 100,000 of 100 dimensions, against a loop over gensim."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "gensim", "usearch", "numba", "numpy")
PROGRAM = "benchmarks.neighbors_program"
PEER = "gensim, most_similar in a loop"


def rows() -> Iterator[Row]:
    """Wall and CPU time of the questions, once the vectors are there; then those of the index."""
    run_program(PROGRAM, "foretext", 0)  # compiles
    ours, theirs = paired(
        partial(run_program, PROGRAM, "foretext"), partial(run_program, PROGRAM, "gensim")
    )
    index = [run_program(PROGRAM, "index", 1)]
    for name, must in (("wall", 10), ("cpu", None)):
        yield Row(
            f"1,000 questions: {name}",
            PEER,
            f"{1e3 * median(ours, name):.0f} ms",
            f"{1e3 * median(theirs, name):.0f} ms",
            *ratios(ours, theirs, name),
            must,
        )
    same = all(own["named"] == peer["named"] for own, peer in zip(ours, theirs, strict=True))
    yield Row("the same words in the same order", PEER, "yes" if same else "NO", "")
    yield Row(
        "1,000 questions by the index: wall",
        PEER,
        f"{1e3 * median(index, 'wall'):.0f} ms",
        f"{1e3 * median(theirs, 'wall'):.0f} ms",
        *ratios(index, theirs[:1], "wall"),
    )
    yield Row("the index: share of the ten nearest found", "", f"{median(index, 'recall'):.3f}", "")
    yield Row("the index: to build it", "", f"{median(index, 'build'):.0f} s", "")
