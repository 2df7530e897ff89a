"""What this processor reaches at most, in one thread and in two: the limits of `limits`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.harness import Figures, run_program

__all__ = [
    "HEADER",
    "MEGABYTE",
    "PACKAGES",
    "SIZES",
    "STRIDES",
    "Peak",
    "measured_peaks",
    "rate",
    "rows",
]

PACKAGES = ("foretext", "numba", "torch", "numpy")
PROGRAM = "benchmarks.peaks_program"
HEADER = ["peak", "one thread", "two threads", "middle trial against the best, one thread"]
GIGA = 1e9
MEGABYTE = 1 << 20
SIZES = (0.25, 16, 64, 256)  # megabytes that are read, or of which rows are: from L2 to memory
STRIDES = (112, 304)  # rows of 100 and of 300 floats, in whole registers
UNITS = {  # of the first word of a resource
    "arithmetic": "GFLOP/s", "registers": "GFLOP/s", "products": "GFLOP/s", "doubles": "GFLOP/s",
    "roots": "G/s", "exps": "G/s", "look-ups": "GB/s", "reading": "GB/s",
}  # fmt: skip
NAMES = {
    "registers 6": "multiply-add in float32, six chains in registers",
    "registers 12": "the same, twelve chains",
    "doubles": "multiply-add in float64, registers",
    "roots": "inverse square roots in float32, registers",
    "exps": "exp in float64, numpy",
    "products float32 mm": "product in float32, `torch.mm`",
    "products float32": "product in float32, weights laid out for oneDNN",
    "products bfloat16": "product in bfloat16, weights laid out for oneDNN",
    "products int8": "product in int8, weights laid out for oneDNN",
    "look-ups": "bytes looked up in a table of classes, one after another",
}


@dataclass(frozen=True)
class Peak:
    """One line of the table."""

    name: str
    one: Figures
    two: Figures

    def cells(self) -> list[str]:
        """The row as Markdown cells."""
        one, two = (rate(self.name, side["best"]) for side in (self.one, self.two))
        return [_title(self.name), one, two, f"{self.one['middle'] / self.one['best']:.0%}"]


def rows() -> Iterator[Peak]:
    """Measure in one thread and in two."""
    one, two = measured_peaks(1), measured_peaks(2)
    for name in one:
        yield Peak(name, one[name], two[name])


def measured_peaks(threads: int) -> dict[str, Figures]:
    """The best and the middle rate of each resource."""
    return run_program(PROGRAM, threads)


def rate(name: str, best: float) -> str:
    """Say how much of a resource there is a second, in its unit."""
    kind, *sizes = name.split()
    if kind in UNITS:
        return f"{best / GIGA:.3g} {UNITS[kind]}"
    return f"{best / 1e6:.3g} M rows/s, {best * 4 * int(sizes[1]) / GIGA:.3g} GB/s"


def _title(name: str) -> str:
    if name in NAMES:
        return NAMES[name]
    if name.startswith("rows"):
        *_, stride, size = name.split()
        return f"rows of {stride} floats in {size} MB, read and written, drawn as noise words are"
    return f"{name} MB, in order"
