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

__all__ = ["Measured", "best_seconds", "process_seconds", "text_file", "training_seconds"]

ROUNDS = 5


class Measured(NamedTuple):
    """A hot path, measured."""

    unit: str
    speed: float  # units a CPU-second
    needs: dict[str, float]  # of a unit
    between: str  # what stands between the speed and the limit, with what was measured of it


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


class Training(NamedTuple):
    """A training that has ended."""

    learner: Any
    seconds: float  # of CPU, in its loop


@contextmanager
def training_seconds() -> Iterator[list[Training]]:
    """Collect the learners of word2vec and its relatives, with the CPU time of their loops."""
    from foretext.vectors.hogwild import Hogwild

    found: list[Training] = []
    run = Hogwild.run

    def measured(self: Hogwild) -> Any:
        self.learner.compile()
        began = time.process_time()
        state = run(self)
        found.append(Training(self.learner, time.process_time() - began))
        return state

    Hogwild.run = measured  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Hogwild.run = run  # type: ignore[method-assign]


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
