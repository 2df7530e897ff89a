"""Two processes of one thread, under torchrun, against twice one process of one thread."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "torch", "numba", "numpy")
PROGRAM = "benchmarks.two_processes_program"
MUSTS = {"none": 0.85, "optimizer": 0.85, "full": None}


def rows() -> Iterator[Row]:
    """Tokens a second of real steps of BERT, 4 layers of width 256, 32 rows of 128 a process."""
    run_program(PROGRAM, "alone", 0)  # compiles
    for kind, must in MUSTS.items():
        ours, alone = paired(
            partial(run_program, PROGRAM, kind), partial(run_program, PROGRAM, "alone")
        )
        ratio, spread = ratios(ours, alone, "seconds")
        yield Row(
            f"two processes, sharding = {kind}, tokens a second",
            "twice one process",
            f"{median(ours, 'tokens_per_second'):,.0f}: {ratio:.2f} of it",
            f"{median(alone, 'tokens_per_second'):,.0f}",
            ratio,
            spread,
            must,
        )
