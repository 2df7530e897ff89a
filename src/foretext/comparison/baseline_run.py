"""The baseline of a task as a candidate: what is learned from the rows in seconds.

No folder keeps it. So ``baseline.json`` says that one was learned there, and whoever needs its
answers learns it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.row_model import RowModel
from foretext.comparison.rows import read_written
from foretext.comparison.worker import Sections
from foretext.errors import SettingError
from foretext.files import atomic_file, is_regular_file, temporary_folder
from foretext.finetuning.bases import learner_class, predictor_class
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.run_folder import RunFolder

__all__ = ["BaselineRun"]

FILE = "baseline.json"
JUDGE = "lstm"  # the base of the network that judges answers
JUDGES = dict.fromkeys(("span_qa", "text_to_text"), "transformer")  # of tasks that refuse it
SMALL: dict[str, dict[str, dict[str, Any]]] = {  # it never learns
    "lstm": {"backbone": {"vector_size": 8, "dim": 8}},
    "transformer": {"backbone": {"num_layers": 1, "dim": 16, "num_heads": 2}},
}
FEW_ROWS = 500  # whose words it knows, where no row has a label that must not be missing


@dataclass(frozen=True)
class BaselineRun:
    """A baseline that has learned, and what judges its answers.

    Attributes:
        baseline: what answers.
        judge: a network of the task that never learned: figures of answers do not depend on who
            gave them.
    """

    baseline: Baseline
    judge: RowModel

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
        base = JUDGES.get(task, JUDGE)
        model = predictor_class(task, base)
        rows = read_written(model, train, reading)
        baseline = model.baseline(rows)
        if baseline is None:
            raise SettingError(f"TASK = '{task}' has no baseline; leave the candidate out.")
        return cls(baseline, _untrained(task, base, rows))

    @classmethod
    def is_in(cls, folder: Path) -> bool:
        """Whether a baseline was learned for a folder."""
        return is_regular_file(folder / FILE)

    def mark(self, folder: Path) -> None:
        """Write down that it was learned.

        Raises:
            OutputError: the folder cannot be written.
        """
        with atomic_file(folder / FILE) as temporary:
            temporary.write_text(json.dumps({"name": self.baseline.name}) + "\n", "utf-8")


def _untrained(task: str, base: str, rows: Sequence[Any]) -> RowModel:
    settings: Sections = SMALL[base]
    few = sampled(rows, FEW_ROWS) if task in JUDGES else rows
    recipe = TaskRecipe(task, base, train="", settings=settings)
    with temporary_folder() as folder:
        job = FinetuneJob(run=RunFolder(folder), recipe=recipe)
        started = learner_class(base)(job, settings).start(TaskRows(few, [], []))
        model = started.untrained(TaskRows(rows, [], []))
    assert model is not None, base
    return model
