"""A network as a learner: a head on a backbone, trained by gradient descent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
import torch
from torch import nn

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.corpus.symbols import dropped_sentence
from foretext.finetuning.adapting import adaptable
from foretext.finetuning.bases import Origin, open_base
from foretext.finetuning.before_training import (
    Preparation,
    begun_preparation,
    label_names,
    prepare_network,
    untrained_words,
)
from foretext.finetuning.checks import (
    RATES,
    check_body_dropout,
    check_dropout,
    check_held_out,
    check_supported,
    check_texts,
    check_training,
    freezes_marks,
)
from foretext.finetuning.finishing import finish_network, noted_joined, noted_reading, noted_vectors
from foretext.finetuning.joined_vectors import JoinedVectors, opened_vectors
from foretext.finetuning.learner import OF_TRAINING, Found, Learner, Prepared, Record, Tell
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.start import Material, Start, find_start
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.finetuning.teachers import ENSEMBLE
from foretext.finetuning.trials import NetworkTrials, open_settings, search_trials
from foretext.heads.base import TaskBase
from foretext.messages import message
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import TaskModel
from foretext.tasks.predictor import Predictor
from foretext.tasks.structure import network_structure
from foretext.tasks.task import Resolved, model_class, task_named
from foretext.training.kept_record import kept_record
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss, Validation

__all__ = ["NetworkLearner", "TaskValidation"]

METHODS: dict[Origin, str] = {
    "pretrained": "pretrained",
    "vectors": "static word vectors under a new network",
    "scratch": "randomly initialised",
}

CHAIN_RATE = 5.0  # of a BiLSTM or CRF over a pretrained network, times the rate

SHOWN_ROWS = 8  # of which the first is drawn that has a text
MOST_ROWS = 2000  # that are measured while a training goes on


@dataclass(frozen=True)
class NetworkLearner(Learner):
    """A head on a backbone that is pretrained, stands over word vectors, or starts from scratch."""

    sections = ("task", "finetuning", "training", "backbone", "tokenizer")
    uses = frozenset(FinetuningConfig.model_fields) - {"refit"}
    has_baseline = True
    seed_section = "training"
    usual = OF_TRAINING
    learns_from_texts = True
    learns_every_task = True
    takes_others = True  # word vectors

    begun: Start | None = None  # after `start`
    preparation: Preparation = field(default_factory=Preparation)  # after `prepare`
    num_cut: int = 0  # rows to learn from that are longer than the network reads; likewise

    @classmethod
    def predictor_of(cls, task: str) -> type[TaskModel]:
        """Return the class of the network of a task: of the table, or from outside."""
        return model_class(task_named(task))

    @cached_property
    def opened(self) -> tuple[Origin, Any]:
        """How the network starts, and from what."""
        return open_base(self.job.recipe.base)

    @cached_property
    def joined(self) -> JoinedVectors | None:
        """The word vectors that are joined with the states of the base; None: none are."""
        return opened_vectors(self.job.recipe, self.task, self.opened)

    @property
    def ready(self) -> Start:
        """What every training starts with."""
        assert self.begun is not None, "start() comes first"
        return self.begun

    @property
    def origin(self) -> str:
        """How the network starts."""
        return self.ready.origin

    @property
    def method(self) -> str:
        """How the network starts, in a phrase."""
        return METHODS[self.ready.origin]

    @property
    def task_config(self) -> Config:
        """The section `[task]`."""
        settings = dict(self.settings.get("task", {}))
        return self.task.head_config.checked(settings, "task")

    @property
    def training_settings(self) -> dict[str, Any]:
        """The user's settings of `[training]`, with the budget of one seed."""
        budget = self.job.recipe.budget_seconds
        given = {} if budget is None else {"budget_seconds": budget / self.finetuning.seeds}
        return {**self.settings.get("training", {}), **given}

    @property
    def needs_held_out_rows(self) -> bool:
        """To stop in time where weights are random, to judge a search, or to fit by."""
        config, recipe = self.finetuning, self.job.recipe
        fits = config.calibrate or config.ensemble or recipe.teacher == ENSEMBLE
        judges = fits or recipe.search_seconds is not None
        return judges or config.fresh or self.opened[0] != "pretrained"

    def check(self) -> None:
        """Refuse settings that are unknown, wrong or without effect."""
        super().check()
        training = TrainingConfig.checked(self.training_settings, "training")
        check_training(self.task, self.task_config, training)
        check_texts(self.job.recipe, self.finetuning, self.task, self.task_config)
        _ = self.joined  # refused before rows are read
        if self.finetuning.ensemble or self.job.recipe.teacher == ENSEMBLE:
            check_supported(self.task, "ensemble", self.task_config)
        if self.finetuning.adapt is not None:
            adaptable(self.opened, self.job.recipe.base)

    def seed_of(self, seed: int) -> int:
        """Return the seed of one training."""
        return int(self.settings.get("training", {}).get("seed", 1)) + seed

    def start(self, rows: TaskRows) -> Self:
        """Find or make the base, and refuse what cannot work with it."""
        task, recipe = self.task, self.job.recipe
        check_held_out(self.finetuning, rows, recipe, task, has_baseline=self.wants_baseline)
        begun = self.begun_from(self.opened, rows)
        if self.opened[0] != "pretrained":
            check_body_dropout(self.finetuning, self.settings)
        rate = (
            begun.dropout if self.finetuning.body_dropout is None else self.finetuning.body_dropout
        )
        check_dropout(task, rows.train, begun.base.backbone, rate)
        started = replace(self, begun=begun, preparation=begun_preparation(self, rows))
        for note in started.resolved_task(rows).notes:
            self.job.note(note)
        kind = str(begun.sections.get("tokenizer", {}).get("pre_tokenizer"))
        texts = task.texts(rows.train).texts
        if sentence := dropped_sentence(texts, kind, "tokenizer"):
            self.job.note(sentence)
        untrained = started.untrained(rows)
        noted_vectors(self.job, begun.vectors, untrained, rows)
        noted_joined(self.job, untrained, rows)
        return replace(started, num_cut=noted_reading(self.job, untrained, rows))

    def begun_from(self, opened: tuple[Origin, Any], rows: TaskRows) -> Start:
        """Return what every training starts with, where a base is `opened`."""
        recipe = self.job.recipe
        learns_texts = recipe.teacher is not None or self.finetuning.consistency is not None
        more = rows.unlabelled if learns_texts else []
        return find_start(
            opened,
            recipe.base,
            Material.of(self.task, self.task_config, [*rows.train, *more], self.form),
            self.settings,
            fresh=self.finetuning.fresh,
            vectors=self.joined,
        )

    def prepare(
        self, rows: TaskRows, baseline: Baseline | None, seconds: float | None
    ) -> Prepared[Self]:
        """Continue the pretraining of the base, then let a teacher answer, as the user wants."""
        return cast(Prepared[Self], prepare_network(self, rows, baseline, seconds))

    @property
    def body_dropout(self) -> float | None:
        """Dropout within the base; None: what the settings of the base say."""
        chosen = self.finetuning.body_dropout
        return self.ready.dropout if chosen is None else chosen

    @property
    def learns_words(self) -> bool:
        """Whether the head reads what a linear classifier has learned of the words of the rows."""
        return self.task.head_traits(self.task_config).learns_words

    def untouched(self, rows: TaskRows) -> Baseline | None:
        """Return the pretrained base as it was, where its vectors answer the rows."""
        origin, opened = self.opened
        if origin == "scratch" or self.finetuning.fresh or "embed" not in opened.abilities:
            return None
        return self.task.untouched(opened.embed, rows.train)

    def untrained(self, rows: TaskRows) -> TaskModel:
        """Return a head with random weights on the base."""
        return self._begun(self.ready.new_base(0), rows)

    def _begun(self, base: TaskBase, rows: TaskRows) -> TaskModel:
        """Return an untrained model, whose head may know the words of the rows."""
        config, more = self.resolved_task(rows).config, {}
        if self.learns_words:
            ready = self.preparation.words
            labels = label_names(self, rows)
            words = untrained_words(rows.train, labels) if ready is None else ready.learned
            more = {"words": None if words is None else words.composing(self.form)}
        return self.task.model.begin(base, config, rows.train, **more)

    def encode(self, model: Predictor, rows: Sequence[Any]) -> None:
        """Make examples of rows."""
        cast(TaskModel, model).examples(rows)

    def fits(self, model: Predictor, rows: TaskRows) -> int:
        """Return how often temperature, threshold and ensemble need answers."""
        config = self.finetuning
        finishes = bool(rows.valid and cast(TaskModel, model).finish(rows.valid))
        return config.calibrate + config.ensemble + finishes

    def resolved_task(self, rows: TaskRows) -> Resolved:
        """Return the section `[task]` with what the user left open chosen by base and rows."""
        training = TrainingConfig.checked(self.training_settings, "training")
        return self.task.resolve(
            self.task_config,
            self.ready.base,
            rows.train,
            is_pretrained=self.ready.origin == "pretrained",
            is_frozen=freezes_marks(training),
        )

    def training(self, rows: TaskRows, seed: int) -> TrainingConfig:
        """Return how the training of a seed goes."""
        return _training_config(
            self.training_settings,
            self.ready.base.backbone,
            is_pretrained=self.ready.origin == "pretrained",
            num_rows=len(rows.train) + self.preparation.num_unlabelled,
            is_validated=bool(rows.valid),
            has_chain=self.task.head_traits(self.task_config).learns_chain,
            has_head=self.task.has_head,
            usual_batch=self.task.usual_batch,
            seed=seed,
        )

    def search(self, rows: TaskRows, seconds: float, tell: Tell) -> Found:
        """Try settings with the seed of the run, judged by the held-out rows."""
        budget = Budget.started(seconds)
        model = self.untrained(rows)
        names = open_settings(
            self.training_settings, self.settings.get("task", {}), self.ready, model.head
        )
        trials = NetworkTrials.prepared(self, model, rows, budget, tell)
        found = search_trials(names, self.training(rows, 0), budget, trials.score, tell)
        if trials.num_cut:
            self.job.note(
                message("notes.finetune.cut_trials", number=trials.num_cut, all=found.trials)
            )
        return found

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[TaskModel, Record]:
        """Train one network."""
        config = self.training(rows, seed)
        base = self.ready.new_base(config.seed)
        _set_dropout(base.backbone, self.body_dropout)
        torch.manual_seed(config.seed)
        model = self._begun(base, rows)
        known = [row for row in rows.valid if model.knows(row)]
        if rows.valid and not known:
            raise CorpusError(
                f"None of the {len(rows.valid):,} held-out rows has an answer that the rows to "
                "learn from show; give rows of the same kind."
            )
        validation = TaskValidation(model, known, config.batch_examples) if known else None
        learned, examples = self.preparation.learned(model, rows, self.finetuning)
        history = fit(Model(base.backbone, learned), examples, config, context, validation)
        if validation is None:
            return model, history[-1]
        return model, kept_record(
            history,
            keep=config.keep,
            judged_by=validation.judged_by,
            higher_is_better=validation.higher_is_better,
        )

    def finish(self, model: Predictor, rows: TaskRows, baseline: Baseline | None) -> dict[str, Any]:
        """Fit temperature, threshold and ensemble by held-out rows."""
        finish_network(self.job, self.finetuning, cast(TaskModel, model), rows, baseline)
        return {
            "cut": self.num_cut,
            "structure": _structure(cast(TaskModel, model), rows),
            **self.preparation.facts(self.finetuning),
        }

    @property
    def resolved_finetuning(self) -> dict[str, Any]:
        """Return what was chosen for the user of [finetuning]."""
        return {"body_dropout": self.body_dropout}

    def resolved(self, model: Predictor, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings of head, training and, from scratch, of backbone and tokenizer."""
        task_model = cast(TaskModel, model)
        return {
            "task": task_model.head.config.kept(mode="json"),
            "training": self.training(rows, 0).kept(),
            **self._resolved_base(),
        }

    def _resolved_base(self) -> dict[str, dict[str, Any]]:
        """The sections of the base, without rates of dropout that `body_dropout` has replaced."""
        sections = dict(self.ready.sections)
        if self.body_dropout is not None and "backbone" in sections:
            shape = sections["backbone"].items()
            sections["backbone"] = {name: value for name, value in shape if name not in RATES}
        return sections


def _structure(model: TaskModel, rows: TaskRows) -> list[dict[str, Any]]:
    """Return the layers with their shapes for one row; none where the first rows have no text."""
    try:
        examples = model.examples(rows.train[:SHOWN_ROWS])
    except CorpusError:
        return []
    # Examples whose tokens are hidden at random are drawn.
    batch = examples.batch(np.zeros(1, np.int64), np.random.default_rng(0))
    found = network_structure(model.exact_network(), batch)
    return [{"layer": layer.name, "shape": [*layer.shape]} for layer in found]


def _set_dropout(backbone: Backbone, rate: float | None) -> None:
    """Set the dropout of a backbone: learning from labels needs it more than pretraining does."""
    if rate is None:
        return
    for module in backbone.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate


def _training_config(
    settings: Mapping[str, Any],
    backbone: Backbone,
    *,
    is_pretrained: bool,
    num_rows: int,
    is_validated: bool,
    has_chain: bool,
    has_head: bool,
    usual_batch: int,
    seed: int,
) -> TrainingConfig:
    """Return the settings of ``[training]``: the usual ones for a backbone, then the user's.

    A pretrained Transformer learns for the 4 epochs of Devlin et al. 2019 (A.3), longer where the
    rows are few (Zhang et al. 2021, "Revisiting Few-sample BERT Fine-tuning"). Random weights need
    10 epochs or more, of a head alone too, where the backbone stays as it was pretrained. Held-out
    rows decide which weights are kept.

    Args:
        settings: the user's.
        backbone: has defaults of its own.
        is_pretrained: whether its weights are.
        num_rows: to learn from.
        is_validated: whether there are held-out rows.
        has_chain: whether the head has a BiLSTM or a CRF.
        has_head: whether anything but the backbone is learned.
        usual_batch: examples of a step.
        seed: counted from 0.
    """
    is_frozen = (
        is_pretrained
        and has_head
        and backbone.task_traits.feature_based
        and _leaves_frozen(settings)
    )
    learns_body = is_pretrained and not is_frozen
    defaults: dict[str, Any] = {
        "head_rate": CHAIN_RATE if has_chain and learns_body else 1.0,
        "batch_examples": usual_batch,
        "warmup_rate": 0.1,
        "beta2": 0.999,
        "keep": "best" if is_validated else "last",
        "checkpoint_seconds": 60.0,
        **backbone.fine_tuning_defaults(pretrained=is_pretrained),
        **({"freeze": "backbone"} if is_frozen else {}),
    }
    if not {"epochs", "steps", "budget_seconds"} & settings.keys():
        batch = settings.get("batch_examples", defaults["batch_examples"])
        steps = max(num_rows / batch, 1.0)
        defaults["epochs"] = _usual_epochs(steps, is_pretrained=learns_body)
    if "batch_tokens" in settings:
        del defaults["batch_examples"]
    chosen = {**defaults, **settings}
    chosen["seed"] = chosen.get("seed", 1) + seed
    return TrainingConfig.checked(chosen, "training")


def _leaves_frozen(settings: Mapping[str, Any]) -> bool:
    """Whether settings agree with a backbone that is not trained."""
    other_layers = {"freeze_layers", "layer_decay"} & settings.keys()
    return bool(settings.get("freeze", "none" if other_layers else "backbone") == "backbone")


def _usual_epochs(steps_per_epoch: float, *, is_pretrained: bool) -> int:
    """Return the usual epochs, or as many as make enough steps."""
    fewest, steps, most = (4, 400, 20) if is_pretrained else (10, 1500, 60)
    return min(max(math.ceil(steps / steps_per_epoch), fewest), most)


class TaskValidation(Validation):
    """The task's figures and loss on rows that are not learned from.

    Args:
        model: whose network is trained.
        rows: with their answers; of more than 2,000 a sample is measured, since files may be sorted
            by their labels.
        batch_examples: of the loss.
    """

    def __init__(self, model: TaskModel, rows: Sequence[Any], batch_examples: int) -> None:
        self.model = model
        self.higher_is_better = not model.is_chosen_by_loss
        self.num_examples = min(len(rows), MOST_ROWS)
        self._every, self._batch_examples = rows, batch_examples
        self._measure_rows(sampled(rows, MOST_ROWS))  # which may decide what they are judged by
        self.judged_by = "valid_loss" if model.is_chosen_by_loss else f"valid_{model.judged_by}"

    def measure(self, model: Model) -> dict[str, float]:
        """Return the loss and, unless weights are chosen by it, each figure that is one number."""
        if self.model.is_chosen_by_loss:
            return self.loss.measure(model)
        with self.model.in_training():
            figures = self.model.figures(self.rows)
        numbers = {
            f"valid_{name}": float(value)
            for name, value in figures.items()
            if isinstance(value, float)
        }
        return {**self.loss.measure(model), **numbers}

    def sample(self, size: int) -> None:
        """Measure so many rows, drawn at random from all."""
        self._measure_rows(sampled(self._every, size))

    def _measure_rows(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        self.loss = HeldOutLoss(self.model.examples(rows), self._batch_examples)
