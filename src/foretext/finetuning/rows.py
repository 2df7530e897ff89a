"""Rows are read from files, checked, and held out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foretext.base.config import Config
from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.findings import Problem
from foretext.corpus.foreign_tables import column_names
from foretext.data.rows import InputColumns, InputFile, LabelledText, input_files, text_inputs
from foretext.data.rows.in_memory import NO_TEXT, RowSource, json_lines, row_source, text_key
from foretext.data.rows.settings import RowsConfig
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows
from foretext.messages import message

__all__ = ["new_texts", "read_rows", "read_unlabelled", "unlabelled_source"]

HELD_OUT_RATE, MOST_HELD_OUT = 0.1, 2000
ENOUGH = 50  # rows from which some are held out where nobody says


def read_rows(learner: Learner) -> TaskRows:
    """Read the files of a job, warn of what is wrong with them, and hold rows out.

    Raises:
        CorpusError: a file cannot be read, or nothing can be learned from the rows.
        SettingError: a rate and a file of held-out rows are both given.
    """
    job, read = learner.job, learner.task.read
    recipe, config = job.recipe, learner.rows_config
    rate = learner.finetuning.valid_rate
    if recipe.valid is not None and rate is not None:
        raise SettingError(
            "[finetuning] valid_rate would have no effect beside a file of held-out rows; leave "
            "one of the two out."
        )
    train = read(recipe.train, config)
    valid = [] if recipe.valid is None else read(recipe.valid, config)
    test = [] if recipe.test is None else read(recipe.test, config)
    if not job.rows_are_checked:
        _note(learner, learner.task.problems(train, test))
    if recipe.valid is None:
        if rate is None:
            rate = _usual_rate(train) if learner.needs_held_out_rows else 0.0
        train, valid = _held_out(train, rate, learner.seed_of(0))
    if not job.rows_are_checked:
        _note(learner, learner.task.unseen_problems(train, valid))
    rows = TaskRows(train, valid, test, rate)
    if recipe.unlabelled is not None:
        more = read_unlabelled(recipe.unlabelled, config)
        rows = replace(rows, unlabelled=new_texts(job, replace(rows, unlabelled=more)))
    job.run.note(
        f"{counted(len(train), 'row')} to learn from, {len(valid):,} held out, {len(test):,} test"
    )
    return rows


def _note(learner: Learner, problems: Sequence[Problem]) -> None:
    """Warn of problems; the first one that prevents learning is an error."""
    for problem in problems:
        if problem.severity == "error":
            raise CorpusError(str(problem))
        learner.job.note(str(problem))


def _usual_rate(rows: Sequence[Any]) -> float:
    return HELD_OUT_RATE if len(rows) >= ENOUGH else 0.0


def _held_out(rows: list[Any], rate: float, seed: int) -> tuple[list[Any], list[Any]]:
    """Split rows at random; both parts keep the order of the file."""
    number = min(round(rate * len(rows)), MOST_HELD_OUT)
    if not number:
        return rows, []
    chosen = set(np.random.default_rng(seed).permutation(len(rows))[:number].tolist())
    kept = [row for index, row in enumerate(rows) if index not in chosen]
    return kept, [rows[index] for index in sorted(chosen)]


def unlabelled_source(given: Any) -> RowSource:
    """Return the name of a file as it is, and texts that Python holds as `read_unlabelled` reads.

    Args:
        given: a file, strings, or a table with their column.

    Raises:
        CorpusError: there are no texts, or they are something else.
    """
    return row_source(given, _lines_of)


def read_unlabelled(source: RowSource, config: Config) -> list[LabelledText]:
    """Read texts: one a line, or the column of a table. Labels are not read.

    Args:
        source: of the texts.
        config: of the rows to learn from; the column of a text has the same name, or is "text".

    Raises:
        CorpusError: a file cannot be read, or has no text.
    """
    known = config.model_dump(include={*RowsConfig.model_fields} - {"format"})
    reading = RowsConfig.checked(known, "rows")
    rows = [row for file in input_files(source, reading) for row in _rows(file, reading)]
    if not any(row.text.strip() for row in rows):
        raise CorpusError(message("errors.rows.no_unlabelled", name=source))
    return rows


def new_texts(job: FinetuneJob, rows: TaskRows) -> list[LabelledText]:
    """Return the unlabelled texts that are new: each once, without those to learn from.

    Those of held-out and test rows stay, with a warning: figures of known texts say too much.
    """
    known = {text_key(row.text) for row in rows.train} | {NO_TEXT}
    found: dict[bytes, LabelledText] = {}
    for row in rows.unlabelled:
        key = text_key(row.text)
        if key not in known:
            found.setdefault(key, row)
    if dropped := len(rows.unlabelled) - len(found):
        job.note(message("notes.finetune.left_out", number=dropped, all=len(rows.unlabelled)))
    for part, own in (("valid", rows.valid), ("test", rows.test)):
        if both := [row for row in own if text_key(row.text) in found]:
            job.warn(
                message(
                    "findings.rows.unlabelled_too",
                    both=len(both),
                    rows=len(own),
                    part=message(f"findings.part.{part}"),
                    place=both[0].place,
                )
            )
    return list(found.values())


def _lines_of(given: Any) -> Iterator[str]:
    is_table = column_names(given) is not None
    return json_lines(given if is_table else list(_as_tuples(given)), ("text",))


def _as_tuples(given: Iterable[Any]) -> Iterator[Any]:
    for each in given:
        yield (each,) if isinstance(each, str) else each


def _rows(file: InputFile, config: RowsConfig) -> Sequence[LabelledText]:
    texts = (
        each.texts[0] for each in text_inputs(file, InputColumns(("text",), config, labels=None))
    )
    return [LabelledText(text, (), f"{file.name}:{line}") for line, text in enumerate(texts, 1)]
