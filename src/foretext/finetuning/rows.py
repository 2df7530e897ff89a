"""The rows of a fine-tuning: those learned from, those held out, and those tested on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foretext.corpus.findings import Place, Problem
from foretext.data.rows import RowTexts, find_row_problems, find_tag_problems
from foretext.data.rows.questions import Question
from foretext.errors import CorpusError, SettingError
from foretext.finetuning.job import FinetuneJob
from foretext.task_models.base import TaskModel

__all__ = ["TaskRows", "read_rows"]

HELD_OUT_RATE, MOST_HELD_OUT = 0.1, 2000
ENOUGH = 50  # rows of which some are held out unasked


@dataclass(frozen=True)
class TaskRows:
    """Rows by what they are for; those held out are of a file or of the rows to learn from."""

    train: Sequence[Any]
    valid: Sequence[Any]
    test: Sequence[Any]

    def texts(self) -> RowTexts:
        """Return the texts that are learned from."""
        tagged = bool(self.train) and hasattr(self.train[0], "tokens")
        return RowTexts([_text(row) for row in self.train], are_tokens=tagged)


def read_rows(
    job: FinetuneJob, model: type[TaskModel], rate: float | None, *, holds_out: bool, seed: int
) -> TaskRows:
    """Read the files of a job, tell what is to be known of them, and hold rows out.

    Args:
        job: with the files.
        model: that reads them.
        rate: of rows to hold out where there is no file of them; None: as `holds_out` says.
        holds_out: whether some are needed, to end in time or to choose settings by.
        seed: of the choice of held-out rows.

    Raises:
        CorpusError: a file will not do, or nothing can be learned from the rows.
        SettingError: a rate and a file of held-out rows are both given.
    """
    if job.valid is not None and rate is not None:
        raise SettingError(
            "[finetuning] valid_rate would have no effect beside a file of held-out rows; leave "
            "one of the two out."
        )
    train = model.read(job.train, job.rows)
    valid = [] if job.valid is None else model.read(job.valid, job.rows)
    test = [] if job.test is None else model.read(job.test, job.rows)
    for problem in _problems(train, test):
        if problem.severity == "error":
            raise CorpusError(str(problem))
        job.note(str(problem))
    if job.valid is None and rate is not None:
        train, valid = _held_out(train, rate, seed)
    elif job.valid is None and holds_out and len(train) >= ENOUGH:
        train, valid = _held_out(train, HELD_OUT_RATE, seed)
    for problem in _unseen(train, valid):
        job.note(str(problem))
    job.run.note(f"{len(train):,} rows to learn from, {len(valid):,} held out, {len(test):,} test")
    return TaskRows(train, valid, test)


def _problems(train: Sequence[Any], test: Sequence[Any]) -> list[Problem]:
    if isinstance(train[0], Question):
        return []
    find: Any = find_tag_problems if hasattr(train[0], "tokens") else find_row_problems
    problems: list[Problem] = find(train, test)
    return problems


def _unseen(train: Sequence[Any], valid: Sequence[Any]) -> Iterator[Problem]:
    """Say which labels weights are chosen by without ever being learned."""
    known = {label for row in train for label in getattr(row, "labels", ())}
    strange = [row for row in valid if not known.issuperset(getattr(row, "labels", ()))]
    if strange:
        file, _, line = strange[0].place.rpartition(":")
        label = min(set(strange[0].labels) - known)
        yield Problem(
            severity="warning",
            sentence=f"{len(strange):,} of {len(valid):,} held-out rows have labels that the rows "
            f"to learn from never show (such as '{label}'), and cannot be right.",
            place=Place(file=file, line=int(line)),
        )


def _held_out(rows: list[Any], rate: float, seed: int) -> tuple[list[Any], list[Any]]:
    """Part rows by chance; both parts keep the order of the file."""
    number = min(round(rate * len(rows)), MOST_HELD_OUT)
    if not number:
        return rows, []
    chosen = set(np.random.default_rng(seed).permutation(len(rows))[:number].tolist())
    kept = [row for place, row in enumerate(rows) if place not in chosen]
    return kept, [rows[place] for place in sorted(chosen)]


def _text(row: Any) -> str:
    if isinstance(row, Question):
        return f"{row.question}\n{row.context}"
    return str(row.text)
