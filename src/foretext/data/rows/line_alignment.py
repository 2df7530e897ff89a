"""Where two files that should have the same lines stop to fit each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError

__all__ = ["first_misfit", "uneven_files"]

_MOST = 1.5  # misfit of a line, at most, so that a few odd ones do not decide


def uneven_files(
    names: tuple[str, str], sources: Sequence[str], targets: Sequence[str]
) -> CorpusError:
    """Return the error of two files with different numbers of lines."""
    line = first_misfit(sources, targets)
    shown = [
        f"'{_beginning(lines[line])}'" if line < len(lines) else "no line"
        for lines in (sources, targets)
    ]
    return CorpusError(
        f"{names[0]} has {len(sources):,} lines and {names[1]} has {len(targets):,}, so that it is "
        f"not known which belong together; the lengths stop to fit at about line {line + 1:,} "
        f"({shown[0]} beside {shown[1]}): look there for a line that is missing, empty or divided."
    )


def first_misfit(sources: Sequence[str], targets: Sequence[str]) -> int:
    """Return the line, from 0, from which on the lines of the longer file are shifted.

    Lines before it fit those of the same number, lines after it those that are as many further on
    as one file has more: the place is chosen that makes the ratios of their lengths most alike.
    """
    shorter, longer = (
        np.log1p(np.array([len(line) for line in lines], np.float64))
        for lines in sorted((sources, targets), key=len)
    )
    if not len(shorter):
        return 0
    more = len(longer) - len(shorter)
    usual = float(np.median(longer) - np.median(shorter))
    here = _misfits(shorter, longer[: len(shorter)], usual)
    shifted = _misfits(shorter, longer[more:], usual)
    before = np.concatenate([[0.0], np.cumsum(here)])
    behind = np.concatenate([np.cumsum(shifted[::-1])[::-1], [0.0]])
    return int((before + behind).argmin())


def _misfits(
    shorter: NDArray[np.float64], longer: NDArray[np.float64], usual: float
) -> NDArray[np.float64]:
    """Return how far the log-ratio of each pair of lengths is from the usual one."""
    return np.minimum(np.abs(longer - shorter - usual), _MOST)


def _beginning(line: str) -> str:
    return line if len(line) <= 40 else f"{line[:37]}..."
