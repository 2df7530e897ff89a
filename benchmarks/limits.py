"""How near each hot path comes to what this processor allows, and where the rest goes.

Peaks and paths are measured in one thread, in CPU time. Peaks are measured before the paths and
after them, and the better one counts; how far they differ says how much other programs disturbed.

``FORETEXT_LIMITS`` names the groups to measure, with blanks in between: ``vectors``, ``text``,
``networks``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.harness import run_program
from benchmarks.limits_needs import ARITHMETIC, Bound, bound
from benchmarks.limits_program import GROUPS
from benchmarks.peaks import measured_peaks, rate

__all__ = [
    "HEADER",
    "PACKAGES",
    "Disturbance",
    "Limit",
    "NotHere",
    "groups",
    "rows",
    "scaled",
    "with_arithmetic",
]

PACKAGES = ("foretext", "numba", "torch", "numpy")
PROGRAM = "benchmarks.limits_program"
HEADER = ["work", "a unit needs", "bottleneck", "limit", "reached", "share", "where the rest goes"]
ALONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SCALES = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
NAMES = {  # what a unit needs, as people say it
    ARITHMETIC: "operations in float32",
    "products bfloat16": "operations in bfloat16",
    "products int8": "operations in int8",
    "doubles": "operations in float64",
    "roots": "inverse roots",
    "exps": "exp",
    "look-ups": "look-ups",
}


@dataclass(frozen=True)
class Limit:
    """A path: units a CPU-second, its limit and the share of it."""

    work: str
    run: Mapping[str, Any]  # a `Measured`
    peaks: Mapping[str, float]

    @property
    def bound(self) -> Bound:
        """The bottleneck."""
        return bound(self.run["needs"], self.peaks)

    def cells(self) -> list[str]:
        """The row as Markdown cells."""
        unit, found = self.run["unit"], self.bound
        units = f"{unit.removesuffix('y')}ies" if unit.endswith("y") else f"{unit}s"
        needs = ", ".join(_need(name, amount) for name, amount in self.run["needs"].items())
        return [
            self.work,
            f"{unit}: {needs}",
            f"{_named(found.resource)}: {rate(found.resource, self.peaks[found.resource])}",
            f"{scaled(found.limit)} {units}/s",
            f"{scaled(self.run['speed'])} {units}/s",
            f"**{100 * self.run['speed'] / found.limit:.2g} %**",
            self.run["between"],
        ]


@dataclass(frozen=True)
class NotHere:
    """A path that this processor has no instructions for."""

    work: str

    def cells(self) -> list[str]:
        """The row as Markdown cells."""
        return [self.work, "", "", "", "not on this processor", "", ""]


@dataclass(frozen=True)
class Disturbance:
    """How much the peaks of both series differ."""

    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def most(self) -> float:
        """The largest difference, as a share of the better one."""
        return max(
            1 - min(self.before[name], self.after[name]) / max(self.before[name], self.after[name])
            for name in self.before
        )

    def cells(self) -> list[str]:
        """The row as Markdown cells."""
        cause = "other programs ran beside it" if self.most > 0.1 else ""
        said = f"{self.most:.0%} apart at most"
        return ["peaks before and after", "", "", "", "", said, cause]


def rows() -> Iterator[Limit | NotHere | Disturbance]:
    """Measure peaks, paths, and peaks again."""
    chosen = groups()
    with _environment(ALONE):
        before = _best_peaks()
        runs: dict[str, Any] = {}
        for group in chosen:
            runs |= run_program(PROGRAM, group)
        after = _best_peaks()
    better = {name: max(before[name], after[name]) for name in before}
    for work, run in runs.items():
        yield NotHere(work) if run is None else Limit(work, run, better)
    yield Disturbance(before, after)


def groups() -> list[str]:
    """Return the groups that `FORETEXT_LIMITS` names; without it all."""
    chosen = os.environ.get("FORETEXT_LIMITS", " ".join(GROUPS)).split()
    if not chosen:
        sys.exit(f"FORETEXT_LIMITS names nothing; take of {', '.join(GROUPS)}.")
    if unknown := [group for group in chosen if group not in GROUPS]:
        sys.exit(f"FORETEXT_LIMITS: there is no {unknown[0]!r}; take of {', '.join(GROUPS)}.")
    return chosen


def _best_peaks() -> dict[str, float]:
    return with_arithmetic({name: found["best"] for name, found in measured_peaks(1).items()})


def with_arithmetic(peaks: Mapping[str, float]) -> dict[str, float]:
    """Add the best that float32 reaches by any way: a loop over registers, or a product."""
    ways = ("registers 6", "registers 12", "products float32 mm", "products float32")
    return {**peaks, ARITHMETIC: max(peaks[way] for way in ways)}


def scaled(number: float) -> str:
    """Three digits with k, M or G."""
    for scale, letter in SCALES:
        if number >= scale:
            return f"{number / scale:.3g}{letter}"
    return f"{number:.3g}"


def _need(resource: str, amount: float) -> str:
    return f"{scaled(amount)} {_named(resource)}"


def _named(resource: str) -> str:
    if resource in NAMES:
        return NAMES[resource]
    *kind, size = resource.split()
    if kind[0] == "reading":
        return f"bytes read of {size} MB"
    return f"rows of {kind[-1]} floats in {size} MB"


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Give child processes these settings."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
