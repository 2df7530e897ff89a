"""What a run of a hot path says, and how it is timed."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_text

__all__ = ["Measured", "best_seconds", "process_seconds", "text_file", "timed_runs"]

ROUNDS = 5


class Measured(NamedTuple):
    """A hot path, measured."""

    unit: str
    speed: float  # units a CPU-second
    needs: dict[str, float]  # of a unit
    between: str  # where the rest up to the limit goes, as far as it was measured


def best_seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The CPU time of the fastest of some rounds, after one that is not counted."""
    work()
    seconds = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def process_seconds(work: Callable[[], object]) -> float:
    """The CPU time of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


class TimedRun(NamedTuple):
    """A run that has ended."""

    of: Any
    result: Any
    seconds: float  # of CPU


@contextmanager
def timed_runs(kind: type[Any], prepare: Callable[[Any], object]) -> Iterator[list[TimedRun]]:
    """Collect the runs of `kind`, with the CPU time of each.

    Args:
        kind: of objects with a method `run`.
        prepare: does before a run what is not timed.
    """
    found: list[TimedRun] = []
    run = kind.run

    def measured(self: Any) -> Any:
        prepare(self)
        began = time.process_time()
        result = run(self)
        found.append(TimedRun(self, result, time.process_time() - began))
        return result

    kind.run = measured
    try:
        yield found
    finally:
        kind.run = run


def text_file(num_bytes: int) -> Path:
    """English of Wikipedia where the public data sets are; else docstrings of Python packages."""
    if os.environ.get("FORETEXT_DATA"):
        return enwiki_text(num_bytes)
    path = work_folder() / f"docstrings-{num_bytes}-bytes.txt"
    if not path.exists():
        from foretext.demonstration.docstrings import write_docstrings

        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            partial = Path(folder, path.name)
            write_docstrings(partial, limit_bytes=num_bytes, quiet=True)
            partial.rename(path)
    return path
