"""How a run went over time, on the clock of its job."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foretext.progress import MetricsLog
from foretext.run_folder import RunFolder

__all__ = ["RunCurve"]


@dataclass(frozen=True)
class RunCurve:
    """The figures of a run by the seconds since its job began.

    The clock of a training begins with its first step, that of a job earlier: text is read, and a
    tokenizer learned. How much earlier, the newest record tells, which was written to disk when it
    happened.

    Attributes:
        run: the folder.
        before: seconds of training in processes that were killed.
    """

    run: RunFolder
    before: float
    _began: float = field(default_factory=time.monotonic)
    _began_at: float = field(default_factory=time.time)

    @classmethod
    def begun(cls, folder: str | Path) -> RunCurve:
        """Start the clock of a job."""
        run = RunFolder(folder)
        records = _records(run)
        return cls(run, float(records[-1]["time"]) if records else 0.0)

    @property
    def seconds(self) -> float:
        """Seconds of the job so far, with those of its training in processes that were killed."""
        return self.before + time.monotonic() - self._began

    def points(self, names: Sequence[str]) -> list[tuple[float, float]]:
        """Return seconds since the job began, and a figure.

        Args:
            names: of figures; the first one that is in more than one record is taken, or else the
                first that is in any.
        """
        records = _records(self.run)
        found = [[each for each in records if name in each] for name in names]
        name, those = max(
            zip(names, found, strict=True), key=lambda pair: min(len(pair[1]), 2)
        )  # the first one of equally good ones
        offset = self._preparation(records)
        return [(round(offset + each["time"], 3), float(each[name])) for each in those]

    def _preparation(self, records: Sequence[dict[str, Any]]) -> float:
        """Return the seconds between the start of this job and its first step."""
        if not records:
            return 0.0
        written = self.run.metrics.stat().st_mtime - self._began_at
        trained = float(records[-1]["time"]) - self.before
        return max(written - trained, 0.0)


def _records(run: RunFolder) -> list[dict[str, Any]]:
    return MetricsLog(run.metrics).read()
