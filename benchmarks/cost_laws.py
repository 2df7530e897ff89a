"""What each stage costs a gigabyte of text, and what a terabyte takes on many machines.

Each stage runs on 10 MB and on 60 MB of enwiki in one thread; the difference is the cost of 50 MB
without the start of a program. `docs/guides/scale.md` explains the table of machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.harness import Row, run_program
from benchmarks.inputs import enwiki_text

__all__ = ["PACKAGES", "Law", "machine_hours", "rows"]

PACKAGES = ("foretext", "torch", "numba", "numpy")
PROGRAM = "benchmarks.cost_laws_program"
SMALL, LARGE = 10_000_000, 60_000_000  # bytes of text
TERABYTE = 1e12
MACHINES = 8, 64, 512
CORES = 32  # of a machine


@dataclass(frozen=True)
class Law:
    """What a stage costs.

    Attributes:
        seconds_per_gb: of one core.
        shared: whether all machines work on it; else one process does, whatever else there is.
    """

    seconds_per_gb: float
    shared: bool = True


def machine_hours(
    law: Law, machines: int, *, cores: int = CORES, num_bytes: float = TERABYTE
) -> float:
    """Return the hours that a stage takes."""
    seconds = law.seconds_per_gb * num_bytes / 1e9
    return seconds / 3600 / (machines * cores if law.shared else 1)


def rows() -> Iterator[Row]:
    """Yield the cost of each stage, and the hours of a terabyte."""
    laws = {
        "read and cut into shards": Law(_slope("read"), shared=False),
        "inspect": Law(_slope("inspect")),
        "clean: examine documents": Law(_slope("examine")),
    }
    laws["count words"] = Law(_slope("words"))
    laws["learn WordPiece"] = Law(_slope("subwords"))
    laws["ids"] = Law(_slope("ids"))
    laws["word2vec, 300 dimensions, one epoch"] = Law(_slope("word2vec"))
    laws["BERT of base size, one epoch"] = Law(_network())
    for name, law in laws.items():
        hours = (f"{machines}: {_hours(machine_hours(law, machines))}" for machines in MACHINES)
        by = f"machines of {CORES} cores" if law.shared else "one process"
        yield Row(f"{name}, CPU-seconds a GB", by, f"{law.seconds_per_gb:.3g}", "; ".join(hours))


def _slope(stage: str) -> float:
    """Return the CPU-seconds of a gigabyte."""
    small, large = (
        run_program(PROGRAM, stage, enwiki_text(num_bytes))["cpu"] for num_bytes in (SMALL, LARGE)
    )
    return float((large - small) / (LARGE - SMALL) * 1e9)


def _network() -> float:
    """Return the CPU-seconds of a gigabyte of text: its tokens by those of a second."""
    text = enwiki_text(SMALL)
    tokens_per_byte = run_program(PROGRAM, "ids", text)["tokens"] / text.stat().st_size
    steps = run_program(PROGRAM, "bert-base", text)
    return float(tokens_per_byte * 1e9 * steps["cpu"] / steps["tokens"])


def _hours(hours: float) -> str:
    return f"{hours * 60:.2g} min" if hours < 1 else f"{hours:,.3g} h"
