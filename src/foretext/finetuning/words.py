"""What a linear classifier learns of the words of the rows, once, before any network begins."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.task_rows import sampled
from foretext.progress.checkpoint import Checkpoints
from foretext.tasks.baseline import Baseline
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.words import (
    FOLDS,
    LearnedWords,
    cross_fitted,
    learned_linear,
    learned_words,
)

__all__ = ["PreparedWords", "prepared_words", "untrained_words"]

FOLDER, FILE = "word-features", "linear.safetensors"  # among the checkpoints
FOLDS_RATE = 0.2  # of the time, for classifiers that answer the rows of each other, at most
FEWEST_FOLDS = 2
SAMPLE = 1000  # rows from which a model learns words whose answers are only timed

Rows = Sequence[LabelledText]


@dataclass
class _State:
    """What is kept of them beside the arrays."""

    seconds: float


@dataclass(frozen=True)
class PreparedWords:
    """What was learned of the words, and what it took.

    Attributes:
        learned: of the rows.
        seconds: that it took, without what the baseline took.
        earlier: of these, in an interrupted command.
    """

    learned: LearnedWords
    seconds: float
    earlier: float = 0.0


def prepared_words(
    job: FinetuneJob, rows: Rows, labels: Sequence[str], baseline: Baseline | None
) -> PreparedWords:
    """Return what is learned of the words of rows; a resumed run has it already.

    Args:
        job: of the run.
        rows: to learn from.
        labels: in the order of the network.
        baseline: of the run, which may be the linear classifier, learned from the same rows.

    Raises:
        CorpusError: the rows have no words, or one label.
    """
    began = time.monotonic()
    folder = job.run.checkpoints / FOLDER
    kept = Checkpoints(folder, job.note)
    if job.resume and (found := _kept(kept, rows, labels)) is not None:
        return found
    linear = None if baseline is None else baseline.linear
    taken = 0.0 if baseline is None or linear is None else baseline.seconds
    if linear is None:
        linear = learned_linear(rows)
        taken = time.monotonic() - began
    logits = cross_fitted(rows, labels, linear, _folds(job, taken))
    seconds = time.monotonic() - began
    linear.write_file(folder / FILE)
    kept.save(0, {"logits": logits}, _State(seconds))
    return PreparedWords(_as_kept(linear, labels, rows, logits), seconds)


def untrained_words(rows: Rows, labels: Sequence[str]) -> LearnedWords | None:
    """Return what a few rows teach, whose use takes as long; None: they teach nothing."""
    try:
        return learned_words(sampled(rows, SAMPLE), labels, FEWEST_FOLDS)
    except CorpusError:  # they may have one label alone
        return None


def _folds(job: FinetuneJob, seconds: float) -> int:
    """Return in how many parts the rows are answered, where one classifier takes so long."""
    budget = job.time_to_learn
    if budget is None:
        return FOLDS
    affordable = int(FOLDS_RATE * budget.seconds / max(seconds, 1e-3))
    return min(max(affordable, FEWEST_FOLDS), FOLDS)


def _kept(kept: Checkpoints, rows: Rows, labels: Sequence[str]) -> PreparedWords | None:
    """Return what an interrupted command learned, if it is of these rows."""
    found = kept.newest(_State)
    if found is None:
        return None
    logits = found.arrays.get("logits")
    if logits is None or logits.shape != (len(rows), len(labels)) or logits.dtype != np.float32:
        return None
    linear = LinearClassifier.read_file(kept.folder / FILE)
    seconds = found.state.seconds
    return PreparedWords(LearnedWords(linear, labels, rows, logits), seconds, seconds)


def _as_kept(
    linear: LinearClassifier, labels: Sequence[str], rows: Rows, logits: np.ndarray
) -> LearnedWords:
    """Return what a resumed run would read, so that both go on alike."""
    return LearnedWords(LinearClassifier.of_parts(linear.parts), labels, rows, logits)
