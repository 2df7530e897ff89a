"""What a network begins its trainings with beside its base: more pretraining, and a teacher."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from foretext.base.errors import CorpusError
from foretext.data.examples import Examples
from foretext.data.rows import LabelledText
from foretext.finetuning.adapting import Adapted, adaptable, adapted, adapting_seconds
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.learner import Prepared
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.finetuning.teachers import (
    ENSEMBLE,
    LEARNED,
    LINEAR,
    OWN,
    Taught,
    Teacher,
    is_name,
    learned_teacher,
    lessons_of,
    opened_teacher,
    taught,
)
from foretext.messages import clauses, message
from foretext.objectives.criterion import Criterion
from foretext.progress import human_seconds
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.words import (
    FOLDS,
    LearnedWords,
    cross_fitted,
    learned_linear,
    learned_words,
)
from foretext.tasks.lessons import Teaching
from foretext.tasks.model import TaskModel

if TYPE_CHECKING:
    from foretext.finetuning.network import NetworkLearner

__all__ = [
    "Preparation",
    "PreparedWords",
    "begun_preparation",
    "prepare_network",
    "untrained_words",
]

TEACHER_RATE = 0.5  # of the time of all trainings, for that of a teacher
FOLDER = "teacher"  # of its checkpoints

WORDS_FOLDER, WORDS_FILE = "word-features", "linear.safetensors"  # among the checkpoints
FOLDS_RATE = 0.2  # of the time, for classifiers that answer the rows of each other, at most
FEWEST_FOLDS = 2
SAMPLE = 1000  # rows from which a model learns words whose answers are only timed

Rows = Sequence[LabelledText]


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


@dataclass(frozen=True)
class Preparation:
    """What was done before the trainings.

    Attributes:
        teacher: that was given, and has learned already.
        taught: its answers.
        adapted: the base that has learned more.
        words: what was learned of the words of the rows.
        unlabelled: texts that the network learns to answer alike with replaced tokens.
    """

    teacher: Teacher | None = None
    taught: Taught | None = None
    adapted: Adapted | None = None
    words: PreparedWords | None = None
    unlabelled: Sequence[LabelledText] = ()

    @property
    def num_unlabelled(self) -> int:
        """Rows without labels that are learned from."""
        learned = self.unlabelled if self.taught is None else self.taught.lessons.unlabelled
        return len(learned)

    def learned(
        self, model: TaskModel, rows: TaskRows, config: FinetuningConfig
    ) -> tuple[Criterion, Examples]:
        """Return what is trained, and its examples.

        Where only some of the rows are learned from, as in a trial of a search, the same
        share of the rows without labels is.
        """
        if config.consistency is not None:
            share = len(self.unlabelled) * len(rows.learned) // len(rows.train)
            texts = sampled(self.unlabelled, share)
            return model.consistent(rows.learned, texts, config.consistency)
        if self.taught is None:
            return model.head, model.examples(rows.learned)
        teaching = Teaching(config.teacher_weight, config.teacher_temperature)
        return model.taught(lessons_of(self.taught.lessons, len(rows.learned)), teaching)

    def facts(self, config: FinetuningConfig) -> dict[str, Any]:
        """Return what the folder of a run keeps of it; nothing where nothing was done."""
        facts: dict[str, Any] = {}
        if self.adapted is not None:
            facts["adapted"] = self.adapted.done.facts
        if self.taught is not None:
            facts["taught"] = self.taught.facts(config)
        if config.consistency is not None:
            kept = config.consistency._asdict()
            facts["consistency"] = {"unlabelled": len(self.unlabelled), **kept}
        if self.words is not None:
            facts["word_features"] = len(self.words.learned.vocabulary)
        return facts


def begun_preparation(learner: NetworkLearner, rows: TaskRows) -> Preparation:
    """Open a teacher that has learned already, and refuse what does not fit the rows.

    Raises:
        ForetextError: the teacher does not, or no text without a label is left.
    """
    if learner.finetuning.consistency is not None:
        return _begun_consistency(learner.job, rows)
    given = learner.job.recipe.teacher
    if given is None or is_name(given):
        return Preparation()
    teacher = opened_teacher(given)
    teacher.check(label_names(learner, rows), rows.train)
    return Preparation(teacher)


def _begun_consistency(job: FinetuneJob, rows: TaskRows) -> Preparation:
    """Take the texts that the network learns to answer alike."""
    num_texts = len(rows.unlabelled)
    if not num_texts:
        raise CorpusError(
            f"--unlabelled {job.recipe.unlabelled} has no text that is not among the rows to learn "
            "from; give others, or leave finetuning.consistency_weight out."
        )
    job.note(message("notes.finetune.alike", number=num_texts))
    return Preparation(unlabelled=rows.unlabelled)


def prepare_network(
    learner: NetworkLearner, rows: TaskRows, baseline: Baseline | None, seconds: float | None
) -> Prepared[NetworkLearner]:
    """Continue the pretraining of the base, then let a teacher answer, as the user wants.

    Args:
        learner: that was started.
        rows: of the run.
        baseline: that was learned beside it.
        seconds: for this and all trainings; None: as long as they take.
    """
    earlier = 0.0
    if learner.finetuning.adapt is not None:
        learner = _with_adapted_base(learner, rows)
        base = learner.preparation.adapted
        assert base is not None
        earlier += base.earlier
        seconds = None if seconds is None else seconds - base.done.seconds
    if learner.learns_words:
        words = _prepared_words(learner.job, rows.train, label_names(learner, rows), baseline)
        learner = replace(learner, preparation=replace(learner.preparation, words=words))
        earlier += words.earlier
        seconds = None if seconds is None else seconds - words.seconds
        learner.job.note(message("notes.finetune.words", number=len(words.learned.vocabulary)))
    if learner.job.recipe.teacher is not None:
        found = _taught(learner, rows, baseline, seconds)
        earlier += found.earlier
        learner = replace(learner, preparation=replace(learner.preparation, taught=found))
        lessons = found.lessons
        learner.job.note(
            message(
                "notes.finetune.teacher",
                name=found.name,
                labelled=len(lessons.labelled),
                unlabelled=len(lessons.unlabelled),
            )
        )
    return Prepared(learner, earlier)


def _with_adapted_base(learner: NetworkLearner, rows: TaskRows) -> NetworkLearner:
    job, chosen = learner.job, learner.finetuning.adapt
    assert chosen is not None
    base = adaptable(learner.opened, job.recipe.base)
    own = learner.task.texts(rows.train).texts
    texts = [*own, *(row.text for row in rows.unlabelled)]
    time_for_it = adapting_seconds(chosen, job.recipe.budget_seconds)
    found = adapted(job, base, texts, time_for_it, learner.seed_of(0))
    done = found.done
    time_taken = human_seconds(done.seconds)
    known = {"tokens": done.num_tokens, "steps": done.steps, "time": time_taken}
    parts = [message("notes.finetune.adapted", **known)]
    if done.before is not None:
        parts.append(message("notes.finetune.losses", before=done.before, after=done.after))
    job.note(clauses(parts))
    begun = learner.begun_from(("pretrained", found.model), rows)
    preparation = replace(learner.preparation, adapted=found)
    return replace(learner, begun=begun, preparation=preparation)


def _taught(
    learner: NetworkLearner, rows: TaskRows, baseline: Baseline | None, seconds: float | None
) -> Taught:
    labels = label_names(learner, rows)
    make = partial(_teacher, learner, rows, baseline, seconds)
    return taught(learner.job, rows, labels, make, learner.finetuning)


def _teacher(
    learner: NetworkLearner, rows: TaskRows, baseline: Baseline | None, seconds: float | None
) -> Teacher:
    """Return the teacher that the user names; one of the run's own learns first."""
    name, given = learner.job.recipe.teacher, learner.preparation.teacher
    if given is not None:
        return given
    if name in OWN:
        return _own_teacher(learner, rows, baseline, seconds)
    if name == LINEAR and (linear := _whole_linear(baseline)) is not None:
        assert baseline is not None
        return Teacher(name, linear, LEARNED[name], baseline.seconds)
    return learned_teacher(str(name), rows.train)


def _own_teacher(
    learner: NetworkLearner, rows: TaskRows, baseline: Baseline | None, seconds: float | None
) -> Teacher:
    """Train the network once, for the teacher of a second training (Furlanello et al. 2018)."""
    job, name, began = learner.job, str(learner.job.recipe.teacher), time.monotonic()
    context = RunContext(
        job.run.path,
        title=message("progress.teacher"),
        checkpoints=Checkpoints(job.run.checkpoints / FOLDER, job.note),
        resume=job.resume,
        quiet=job.quiet,
        note=job.note,
        warn=job.warn,
        budget=None if seconds is None else Budget.started(TEACHER_RATE * seconds),
    )
    model, record = learner.train(rows, 0, context)
    if name == ENSEMBLE:
        linear = _whole_linear(baseline) or learned_linear(rows.train)
        weights = model.join(linear, rows.valid)
        job.note(
            message("notes.finetune.in_teacher", network=weights.network, linear=weights.linear)
        )
    earlier = max(float(record["time"]) - (time.monotonic() - began), 0.0)
    return Teacher(name, model, earlier=earlier)


def _whole_linear(baseline: Baseline | None) -> LinearClassifier | None:
    """Return the linear model of the baseline, which has learned from all rows for a teacher."""
    return None if baseline is None else baseline.linear


def label_names(learner: NetworkLearner, rows: TaskRows) -> Sequence[str]:
    """Return the labels in the order of the network that will learn them."""
    labels: Sequence[str] = learner.task.find(rows.train)["labels"]
    return labels


@dataclass
class _State:
    """What is kept of them beside the arrays."""

    seconds: float


def _prepared_words(
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
    folder = job.run.checkpoints / WORDS_FOLDER
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
    linear.write_file(folder / WORDS_FILE)
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
    linear = LinearClassifier.read_file(kept.folder / WORDS_FILE)
    seconds = found.state.seconds
    return PreparedWords(LearnedWords(linear, labels, rows, logits), seconds, seconds)


def _as_kept(
    linear: LinearClassifier, labels: Sequence[str], rows: Rows, logits: np.ndarray
) -> LearnedWords:
    """Return what a resumed run would read, so that both go on alike."""
    return LearnedWords(LinearClassifier.of_parts(linear.parts), labels, rows, logits)
