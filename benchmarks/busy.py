"""The same job with free cores and beside a process that keeps one of them busy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median as middle

from benchmarks.busy_program import JOBS
from benchmarks.harness import Figures, Row, run_program, work_folder
from benchmarks.language_models import make_model
from foretext.base.openmp import SPIN_COUNT

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "torch", "numpy")
PROGRAM = "benchmarks.busy_program"
NAMES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
POLICIES = {
    "as GNU's OpenMP has it": {"GOMP_SPINCOUNT": "300000"},
    "OMP_WAIT_POLICY=PASSIVE": {"OMP_WAIT_POLICY": "PASSIVE"},
    f"foretext's default, {SPIN_COUNT:,} turns": {},
}
PAIRS = 3
SPINNING = "while True: pass"


def rows() -> Iterator[Row]:
    """Wall time and CPU time of each job under each way of waiting; it needs two free cores."""
    make_model("minilm")
    make_model("bert-mini")
    for job in JOBS:
        for is_busy in (False, True):
            runs = _measured(job, is_busy)
            usual = runs.pop(next(iter(POLICIES)))
            for policy, own in runs.items():
                for name in ("wall", "cpu"):
                    pairs = [a[name] / b[name] for a, b in zip(usual, own, strict=True)]
                    ours, theirs = (middle(run[name] for run in side) for side in (own, usual))
                    yield Row(
                        f"{job}, {'one core busy' if is_busy else 'quiet'}, {name}: {policy}",
                        next(iter(POLICIES)),
                        f"{ours:.1f} s",
                        f"{theirs:.1f} s",
                        middle(pairs),
                        (min(pairs), max(pairs)),
                    )


def _measured(job: str, is_busy: bool) -> dict[str, list[Figures]]:
    """Figures of each policy, A B C A B C."""
    runs: dict[str, list[Figures]] = {policy: [] for policy in POLICIES}
    for _ in range(PAIRS):
        for policy, settings in POLICIES.items():
            with _environment(settings), _neighbour(is_busy):
                runs[policy].append(run_program(PROGRAM, job, work_folder()))
    return runs


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """What child processes get instead of this process's own way of waiting."""
    before = {name: os.environ.pop(name) for name in NAMES if name in os.environ}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name in settings:
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _neighbour(is_busy: bool) -> Iterator[None]:
    """A process that keeps the last core of this one busy."""
    if not is_busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", SPINNING])
    os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    try:
        yield
    finally:
        process.kill()
        process.wait()
