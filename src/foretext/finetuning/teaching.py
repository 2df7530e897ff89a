"""A teacher answers the rows of a run, once, before any network learns from its answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.rehearsal import rehearsed
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.finetuning.teachers import FOLDS, Teacher, confidences, have_sets
from foretext.progress.checkpoint import Checkpoints
from foretext.tasks.lessons import Lessons

__all__ = ["Taught", "lessons_of", "taught"]

ANSWERING_RATE = 0.15  # of the time, for answering unlabelled rows, at most
FOLDS_RATE = 0.2  # of the time, for models that answer the rows of each other, at most
FEWEST = 1000  # unlabelled rows that are answered in any case
FOLDER = "teacher-answers"  # among the checkpoints


@dataclass
class _State:
    """What is kept of the answers beside the arrays."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Taught:
    """The answers of a teacher, and what they took.

    Attributes:
        lessons: rows and answers.
        name: of the teacher.
        seconds: that it took, with what the teacher learned for this run.
        earlier: of these, in an interrupted command.
    """

    lessons: Lessons
    name: str
    seconds: float
    earlier: float = 0.0

    def facts(self, config: FinetuningConfig) -> dict[str, Any]:
        """Return what the folder of a run keeps of it."""
        return {
            "name": self.name,
            "labelled": len(self.lessons.labelled),
            "unlabelled": len(self.lessons.unlabelled),
            "weight": config.teacher_weight,
            "temperature": config.teacher_temperature,
            "seconds": self.seconds,
        }


def taught(
    job: FinetuneJob,
    rows: TaskRows,
    labels: Sequence[str],
    teacher_of: Callable[[], Teacher],
    config: FinetuningConfig,
) -> Taught:
    """Return a teacher's answers; a resumed run has them already.

    Args:
        job: of the run.
        rows: to answer: those to learn from, and those without labels.
        labels: in the order of the model that learns.
        teacher_of: makes the teacher ready, which may take a training.
        config: how its answers are used.

    Raises:
        ForetextError: the teacher does not fit the rows, or is sure of none of them.
    """
    began = time.monotonic()
    kept = Checkpoints(job.run.checkpoints / FOLDER, job.note)
    if job.resume and (found := _kept(kept, rows, labels)) is not None:
        return found
    teacher = teacher_of()
    teacher.check(labels, rows.train)
    chosen, answers = _unlabelled_answers(job, teacher, rows, labels, config)
    own = teacher.answers_to_own(rows.learned, labels, _folds(job, teacher))
    probabilities = np.concatenate([own, answers])
    seconds = time.monotonic() - began + teacher.earlier
    arrays = {"unlabelled": chosen, "probabilities": probabilities}
    kept.save(0, arrays, _State(teacher.name, seconds))
    lessons = Lessons(rows.learned, _at(rows.unlabelled, chosen), probabilities)
    return Taught(lessons, teacher.name, seconds, teacher.earlier)


def lessons_of(lessons: Lessons, num_labelled: int) -> Lessons:
    """Return so many labelled rows and the same share of the others, as `sampled` draws them."""
    every, others = len(lessons.labelled), len(lessons.unlabelled)
    if num_labelled == every:
        return lessons
    labelled = np.array(sampled(range(every), num_labelled))
    unlabelled = np.array(sampled(range(others), others * num_labelled // every), np.int64)
    return Lessons(
        _at(lessons.labelled, labelled),
        _at(lessons.unlabelled, unlabelled),
        lessons.probabilities[np.concatenate([labelled, every + unlabelled])],
    )


def _unlabelled_answers(
    job: FinetuneJob,
    teacher: Teacher,
    rows: TaskRows,
    labels: Sequence[str],
    config: FinetuningConfig,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return which unlabelled rows are learned from, (U,), and the answers to them, (U, C)."""
    places = np.array(_affordable(job, teacher, rows.unlabelled, labels), np.int64)
    if not len(places):
        return places, np.zeros((0, len(labels)))
    answers = teacher.answers(_at(rows.unlabelled, places), labels)
    are_sets = have_sets(rows.train)
    sure = confidences(answers, are_sets=are_sets) >= config.teacher_confidence
    if not sure.any():
        raise CorpusError(
            f"The teacher answers none of {len(places):,} unlabelled rows with a probability of "
            f"{config.teacher_confidence:g}; lower finetuning.teacher_confidence."
        )
    if not sure.all():
        job.note(
            f"{int((~sure).sum()):,} of {len(places):,} unlabelled rows are left out, as the "
            f"teacher's answer is less probable than {config.teacher_confidence:g}"
        )
    return places[sure], answers[sure]


def _affordable(
    job: FinetuneJob, teacher: Teacher, rows: Sequence[LabelledText], labels: Sequence[str]
) -> Sequence[int]:
    """Return the places of the rows that are answered in their part of the time."""
    every = range(len(rows))
    budget = job.time_to_learn
    if budget is None or len(rows) <= FEWEST:
        return every
    cost = rehearsed(lambda some: teacher.answers(some, labels), rows, budget)
    size = max(cost.rows_in(ANSWERING_RATE * budget.seconds), FEWEST)
    if size < len(rows):
        job.note(
            f"the teacher answers {size:,} of {len(rows):,} unlabelled rows, drawn at random, as "
            "the budget allows"
        )
    return sampled(every, size)


def _folds(job: FinetuneJob, teacher: Teacher) -> int:
    """Return by how many models the rows to learn from are answered in their part of the time."""
    budget = job.time_to_learn
    if budget is None:
        return FOLDS
    affordable = int(FOLDS_RATE * budget.seconds / max(teacher.seconds, 1e-3))
    return min(affordable, FOLDS)


def _kept(kept: Checkpoints, rows: TaskRows, labels: Sequence[str]) -> Taught | None:
    """Return the answers of an interrupted command, if they are of these rows."""
    found = kept.newest(_State)
    if found is None:
        return None
    chosen, probabilities = (found.arrays.get(name) for name in ("unlabelled", "probabilities"))
    if chosen is None or probabilities is None or chosen.ndim != 1 or chosen.dtype != np.int64:
        return None
    fits = probabilities.shape == (len(rows.learned) + len(chosen), len(labels))
    inside = not len(chosen) or (chosen.min() >= 0 and chosen.max() < len(rows.unlabelled))
    if not (fits and inside):
        return None
    lessons = Lessons(rows.learned, _at(rows.unlabelled, chosen), probabilities)
    seconds = found.state.seconds
    return Taught(lessons, found.state.name, seconds, seconds)


def _at(rows: Sequence[LabelledText], places: NDArray[np.int64]) -> list[LabelledText]:
    return [rows[place] for place in places.tolist()]
