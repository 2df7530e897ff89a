"""Who teaches a network: a model that is there, or one that learns from the same rows first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from foretext.artifact import load_task
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledText
from foretext.finetuning.allotment import rehearsed
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import TeacherModel
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.messages import message
from foretext.progress.checkpoint import Checkpoints
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.words import learned_linear
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.lessons import Lessons
from foretext.tasks.predictor import Predictor

__all__ = [
    "ENSEMBLE",
    "LEARNED",
    "LINEAR",
    "OWN",
    "Taught",
    "Teacher",
    "is_name",
    "learned_teacher",
    "lessons_of",
    "opened_teacher",
    "taught",
]

Rows = Sequence[LabelledText]
Learn = Callable[[Rows], Predictor]
Probabilities = NDArray[np.float64]

FOLDS = 5
FOLD_SEED = 20_150_309

LINEAR, ENSEMBLE = "linear", "ensemble"
OWN = ("self", ENSEMBLE)  # the network of the run itself: alone, or with the linear model

ANSWERING_RATE = 0.15  # of the time, for answering unlabelled rows, at most
FOLDS_RATE = 0.2  # of the time, for models that answer the rows of each other, at most
FEWEST = 1000  # unlabelled rows that are answered in any case
FOLDER = "teacher-answers"  # among the checkpoints


def _fasttext(rows: Rows) -> Predictor:
    learner = FastTextClassifier(workers=1)  # with several it would not be reproducible
    return learner.fit([row.text for row in rows], [row.labels for row in rows])


LEARNED: dict[str, Learn] = {"fasttext": _fasttext, LINEAR: learned_linear}  # in seconds


@dataclass(frozen=True)
class Teacher:
    """A model whose answers are learned.

    Attributes:
        name: what people call it.
        model: that answers.
        learn: learns such a model from rows; None: the model was given.
        seconds: that this takes.
        earlier: seconds that an interrupted command took for it.
    """

    name: str
    model: Predictor
    learn: Learn | None = None
    seconds: float = 0.0
    earlier: float = 0.0

    def check(self, labels: Sequence[str], rows: Rows) -> None:
        """Refuse a teacher that answers with other labels than the rows have.

        Raises:
            SettingError: it does, or it gives no labels at all.
        """
        known, wanted = set(self.model.taught_labels), set(labels)
        if not known:
            raise SettingError(message("options.finetune.teacher", name=self.name))
        if known != wanted:
            label = min(known ^ wanted)
            lacks = "has not learned" if label in wanted else "has learned, and the rows lack,"
            raise SettingError(
                f"--teacher {self.name} {lacks} the label '{label}'; give one that learned the "
                f"{len(wanted)} labels of the rows."
            )
        if _class_answers(self.model, rows[:1]).is_multi_label != _have_sets(rows):
            raise SettingError(
                f"--teacher {self.name}: one of teacher and rows has several labels a text, and "
                "the other has one; give a teacher that learned such rows."
            )

    def answers(self, rows: Rows, labels: Sequence[str]) -> Probabilities:
        """Return how probable each of the labels is for each row, (N, C)."""
        return _in_order(_class_answers(self.model, rows), labels)

    def answers_to_own(
        self, rows: Rows, labels: Sequence[str], folds: int = FOLDS
    ) -> Probabilities:
        """Return likewise (N, C) of the rows that the model itself has learned from.

        It is surer of these than of others. So, where it can be learned once more, each row is
        answered by a model that has learned from other rows (cross-fitting; Dao et al. 2021,
        "Knowledge Distillation as Semiparametric Inference", section 4).

        Args:
            rows: with labels.
            labels: in the order that is wanted.
            folds: models that learn, each from all but one part of the rows; 0: none does.
        """
        if self.learn is None or folds < 2 or len(rows) < folds:
            return self.answers(rows, labels)
        part = np.random.default_rng(FOLD_SEED).permutation(len(rows)) % folds
        found = np.zeros((len(rows), len(labels)))
        for number in range(folds):
            inside = np.flatnonzero(part == number).tolist()
            others = [row for row, own in zip(rows, part.tolist(), strict=True) if own != number]
            try:
                own = [rows[index] for index in inside]
                answers = _class_answers(self.learn(others), own)
            except CorpusError:  # the other parts may have one label alone
                return self.answers(rows, labels)
            found[inside] = _in_order(answers, labels)
        return found


def _have_sets(rows: Rows) -> bool:
    """Whether rows have any number of labels."""
    return any(len(row.labels) != 1 for row in rows)


def _confidences(answers: Probabilities, *, are_sets: bool) -> Probabilities:
    """Return how sure answers (N, C) are, (N,): of any number of labels, the least sure one."""
    most: Probabilities = np.maximum(answers, 1 - answers).min(1) if are_sets else answers.max(1)
    return most


def is_name(given: TeacherModel) -> bool:
    """Whether a teacher is a name, not a path or an opened model."""
    return isinstance(given, str) and given in (*LEARNED, *OWN)


def opened_teacher(given: TeacherModel) -> Teacher:
    """Return a teacher that has learned already.

    Raises:
        ForetextError: the path holds no model of a task.
    """
    if isinstance(given, str | Path):
        return Teacher(str(given), load_task(given))
    return Teacher(type(given).__name__, given)


def learned_teacher(name: str, rows: Rows) -> Teacher:
    """Return the teacher of a name of `LEARNED`, which learns from the rows."""
    began = time.monotonic()
    model = LEARNED[name](rows)
    return Teacher(name, model, LEARNED[name], time.monotonic() - began)


def _class_answers(model: Predictor, rows: Rows) -> ClassAnswers:
    return cast(ClassAnswers, model.answer_rows(rows))  # of a task that can teach


def _in_order(answers: ClassAnswers, labels: Sequence[str]) -> Probabilities:
    """Return probabilities in the order of `labels`; a label that a fold lacks has none."""
    places = {label: place for place, label in enumerate(labels)}
    found = np.zeros((len(answers.probabilities), len(labels)))
    found[:, [places[label] for label in answers.labels]] = answers.probabilities
    return found


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
    are_sets = _have_sets(rows.train)
    sure = _confidences(answers, are_sets=are_sets) >= config.teacher_confidence
    if not sure.any():
        raise CorpusError(
            f"The teacher answers none of {len(places):,} unlabelled rows with a probability of "
            f"{config.teacher_confidence:g}; lower finetuning.teacher_confidence."
        )
    if not sure.all():
        job.note(
            message(
                "notes.finetune.unsure",
                number=int((~sure).sum()),
                all=len(places),
                least=config.teacher_confidence,
            )
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
        job.note(message("notes.finetune.teacher_some", number=size, all=len(rows)))
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
