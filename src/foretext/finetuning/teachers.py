"""Who teaches a network: a model that is there, or one that learns from the same rows first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from foretext.artifact import load_task
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledText
from foretext.finetuning.recipe import TeacherModel
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.words import learned_linear
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.predictor import Predictor

__all__ = [
    "ENSEMBLE",
    "FOLDS",
    "LEARNED",
    "LINEAR",
    "OWN",
    "Teacher",
    "confidences",
    "have_sets",
    "is_name",
    "learned_teacher",
    "opened_teacher",
]

Rows = Sequence[LabelledText]
Learn = Callable[[Rows], Predictor]
Probabilities = NDArray[np.float64]

FOLDS = 5
FOLD_SEED = 20_150_309


def _fasttext(rows: Rows) -> Predictor:
    learner = FastTextClassifier(workers=1)  # with several it would not be reproducible
    return learner.fit([row.text for row in rows], [row.labels for row in rows])


LINEAR, ENSEMBLE = "linear", "ensemble"
LEARNED: dict[str, Learn] = {"fasttext": _fasttext, LINEAR: learned_linear}  # in seconds
OWN = ("self", ENSEMBLE)  # the network of the run itself: alone, or with the linear model


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
            raise SettingError(
                f"--teacher {self.name} gives no probabilities of labels; give a model that has "
                "learned classification."
            )
        if known != wanted:
            label = min(known ^ wanted)
            lacks = "has not learned" if label in wanted else "has learned, and the rows lack,"
            raise SettingError(
                f"--teacher {self.name} {lacks} the label '{label}'; give one that learned the "
                f"{len(wanted)} labels of the rows."
            )
        if _class_answers(self.model, rows[:1]).is_multi_label != have_sets(rows):
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


def have_sets(rows: Rows) -> bool:
    """Whether rows have any number of labels."""
    return any(len(row.labels) != 1 for row in rows)


def confidences(answers: Probabilities, *, are_sets: bool) -> Probabilities:
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
