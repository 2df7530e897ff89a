"""Rows are read from files, checked, and held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.findings import Problem
from foretext.finetuning.learner import Learner
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.unlabelled import new_texts, read_unlabelled

__all__ = ["read_rows"]

HELD_OUT_RATE, MOST_HELD_OUT = 0.1, 2000
ENOUGH = 50  # rows from which some are held out where nobody says


def read_rows(learner: Learner) -> TaskRows:
    """Read the files of a job, warn of what is wrong with them, and hold rows out.

    Raises:
        CorpusError: a file cannot be read, or nothing can be learned from the rows.
        SettingError: a rate and a file of held-out rows are both given.
    """
    job, read = learner.job, learner.predictor.read
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
        _note(learner, learner.predictor.problems(train, test))
    if recipe.valid is None:
        if rate is None:
            rate = _usual_rate(train) if learner.needs_held_out_rows else 0.0
        train, valid = _held_out(train, rate, learner.seed_of(0))
    if not job.rows_are_checked:
        _note(learner, learner.predictor.unseen_problems(train, valid))
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
