"""How a ratio is measured: two programs in processes of their own, A B A B, on the same input.

Each program prints one JSON object as its last line. The ratio of a pair is the peer's figure over
ours; what is reported is the median of the pairs' ratios, with the lowest and the highest.
"""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = [
    "Row",
    "data_folder",
    "machine",
    "median",
    "paired",
    "peak_megabytes",
    "ratios",
    "run_program",
    "work_folder",
]

Figures = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    peer: str
    ours: str  # our figure, with its unit
    theirs: str
    ratio: float | None = None  # peer / ours, above 1 is faster; None for a quality
    spread: tuple[float, float] | None = None
    must: float | None = None  # the ratio that is to be met

    def cells(self) -> list[str]:
        """The row as Markdown cells."""
        ratio = "" if self.ratio is None else f"**{self.ratio:.1f} ×**"
        if self.spread is not None:
            ratio += f" ({self.spread[0]:.1f} to {self.spread[1]:.1f})"
        must = "" if self.must is None else f"{self.must:g} ×"
        return [self.work, self.peer, self.theirs, self.ours, ratio, must]


def data_folder() -> Path:
    """The public data sets; the benchmarks need them."""
    folder = os.environ.get("FORETEXT_DATA", "")
    if not folder or not Path(folder).is_dir():
        sys.exit("benchmarks need the public data sets: set FORETEXT_DATA to their folder.")
    return Path(folder)


def work_folder() -> Path:
    """Where prepared inputs are kept between runs of the benchmarks."""
    folder = Path(os.environ.get("FORETEXT_BENCH", "runs/bench"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run_program(module: str, *arguments: object) -> Figures:
    """Run ``python -m MODULE ARGUMENTS`` and return what it printed last."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.strip().split("\n")[-1])
    return figures


def paired(
    ours: Callable[[int], Figures], theirs: Callable[[int], Figures], pairs: int = 3
) -> tuple[list[Figures], list[Figures]]:
    """Run A B A B ...; both get the number of the pair, from 1, as a seed."""
    results: tuple[list[Figures], list[Figures]] = ([], [])
    for seed in range(1, pairs + 1):
        for program, figures in zip((ours, theirs), results, strict=True):
            figures.append(program(seed))
    return results


def ratios(
    ours: Sequence[Figures], theirs: Sequence[Figures], name: str
) -> tuple[float, tuple[float, float]]:
    """Median, lowest and highest of theirs / ours."""
    all_ratios = [peer[name] / own[name] for own, peer in zip(ours, theirs, strict=True)]
    return statistics.median(all_ratios), (min(all_ratios), max(all_ratios))


def median(figures: Sequence[Figures], name: str) -> float:
    """The median of one figure over the runs."""
    return float(statistics.median(run[name] for run in figures))


def peak_megabytes() -> float:
    """The most memory that this process ever held at one time.

    What `getrusage` says is at least what the program that started this one held before.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def machine(packages: Sequence[str]) -> str:
    """What was measured on, with versions."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    return (
        f"{os.cpu_count()} cores of {processor()}, Python {platform.python_version()}, {versions}"
    )


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
