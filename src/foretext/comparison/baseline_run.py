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

from pydantic import BaseModel

from foretext.base.errors import CorpusError, OutputError, SettingError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import read_json
from foretext.comparison.rows import read_written
from foretext.finetuning.allotment import UNKNOWN_SECONDS
from foretext.finetuning.bases import open_base
from foretext.tasks.baseline import Baseline
from foretext.tasks.task import Task, task_named

__all__ = ["BaselineRun", "has_baseline", "kept_base"]

FILE = "baseline.json"


@dataclass(frozen=True)
class BaselineRun:
    """A baseline that has learned.

    Attributes:
        baseline: what answers.
        task: that reads rows.
        base: whose vectors answer; None: it learned from the rows.
    """

    baseline: Baseline
    task: Task
    base: str | None = None

    @classmethod
    def of(
        cls, task: str, train: str, reading: Mapping[str, Any], base: str | None = None
    ) -> BaselineRun:
        """Return what answers: a base as it is, or what is learned from the rows.

        Args:
            task, train, reading: as of `learned`.
            base: path of a model whose vectors answer; None: the task's baseline.

        Raises:
            ForetextError: nothing answers.
        """
        return (
            cls.learned(task, train, reading)
            if base is None
            else cls.untouched(task, train, reading, base)
        )

    @classmethod
    def untouched(cls, task: str, train: str, reading: Mapping[str, Any], base: str) -> BaselineRun:
        """Open a base whose vectors answer the rows, without any training.

        Raises:
            SettingError: it has no vectors of texts, or they do not answer such rows.
        """
        own = task_named(task)
        origin, opened = open_base(base)
        found = None
        if origin != "scratch" and "embed" in opened.abilities:
            found = own.untouched(opened.embed, read_written(own, train, reading))
        if found is None:
            raise SettingError(
                f"BASE = '{base}' does not answer these rows without training: that takes vectors "
                "of texts, and pairs with scores; leave the candidate out."
            )
        return cls(found, own, base)

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
            content = {"name": self.baseline.name, "base": self.base}
            temporary.write_text(
                json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
            )


class _File(BaseModel):
    """``baseline.json``."""

    name: str
    base: str | None = None


def kept_base(folder: Path) -> str | None:
    """Return the base that a folder's baseline answers by; None: it learned from the rows.

    Raises:
        OutputError: the file is damaged.
    """
    file: _File = read_json(folder / FILE, OutputError, _File)
    return file.base


def has_baseline(folder: Path) -> bool:
    """Whether a baseline was learned for a folder."""
    return is_regular_file(folder / FILE)
