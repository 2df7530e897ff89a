"""The baseline of a task as a candidate: what is learned from the rows in seconds.

No folder keeps it. So ``baseline.json`` says that one was learned there, and whoever needs its
answers learns it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_file, is_regular_file
from foretext.comparison.rows import read_written
from foretext.finetuning.allotment import UNKNOWN_SECONDS
from foretext.tasks.baseline import Baseline
from foretext.tasks.task import Task, task_named

__all__ = ["BaselineRun", "has_baseline"]

FILE = "baseline.json"


@dataclass(frozen=True)
class BaselineRun:
    """A baseline that has learned.

    Attributes:
        baseline: what answers.
        task: that reads rows.
    """

    baseline: Baseline
    task: Task

    @classmethod
    def learned(cls, task: str, train: str, reading: Mapping[str, Any]) -> BaselineRun:
        """Learn from a file of rows.

        Args:
            task: a name of `foretext list`, or ``module:Class``.
            train: the file.
            reading: the section `[rows]` that reads it.

        Raises:
            SettingError: the task has no baseline.
            CorpusError: nothing can be learned from the rows.
        """
        own = task_named(task)
        rows = read_written(own, train, reading)
        cost = own.baseline_cost(rows)
        if cost is not None and cost.seconds > UNKNOWN_SECONDS:
            raise CorpusError(
                f"The baseline, a linear classifier of {cost.size_in_words}, would take about "
                f"{cost.time_in_words}; leave it out, and compare with the candidate linear."
            )
        baseline = own.baseline(rows)
        if baseline is None:
            raise SettingError(f"TASK = '{task}' has no baseline; leave the candidate out.")
        return cls(baseline, own)

    def mark(self, folder: Path) -> None:
        """Write down that it was learned.

        Raises:
            OutputError: the folder cannot be written.
        """
        with atomic_file(folder / FILE) as temporary:
            temporary.write_text(json.dumps({"name": self.baseline.name}) + "\n", "utf-8")


def has_baseline(folder: Path) -> bool:
    """Whether a baseline was learned for a folder."""
    return is_regular_file(folder / FILE)
