"""What has learned a task against rows with right answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.artifact import load_task
from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.data.rows import ParallelFiles
from foretext.evaluation.figures import Measure
from foretext.kinds import ANSWERING, COLUMNS
from foretext.tasks.named_columns import checked_columns, has_target_file, reading_options
from foretext.tasks.predictor import Predictor

__all__ = ["measure_of_task"]


def measure_of_task(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures a model of a task; see `foretext.kinds.Kind.evaluate`.

    Rows are read as those of the training were; options name other columns.
    """
    model = load_task(run)
    model.answering({name: options[name] for name in ANSWERING if name in options})
    over = reading_options(options.get("set", []), options.get("encoding"))

    def measure(path: Path) -> dict[str, Any]:
        files, columns = _files_and_columns(run, model, path, options)
        rows = model.read_rows(files, {**over, **columns})
        answers = model.answer_rows(rows)
        figures: dict[str, Any] = answers.figures(rows)
        alike = answers.degenerate(rows)
        if alike is not None:
            figures["warnings"] = [alike]
        for doubt in model.row_doubts(rows):
            say(f"foretext: {path}: {doubt}.", error=True)
        return figures

    return measure


def _files_and_columns(
    run: Path, model: Predictor, path: Path, options: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return what rows are read from, and the columns that are named."""
    columns = {name: options[name] for name in COLUMNS if name in options}
    title = model.title.lower()
    if not has_target_file(str(path), columns.get("target")):
        return path, checked_columns(columns, title, model.task.rows_config)
    if not model.task.reads_parallel_files:
        raise SettingError(f"--target has no effect: {run} holds a task of {title}; leave it out.")
    files = ParallelFiles(str(path), columns.pop("target"))
    return files, checked_columns(columns, title, model.task.rows_config)
