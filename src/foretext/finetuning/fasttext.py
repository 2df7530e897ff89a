"""fastText's classifier as a learner: seconds on any machine, without PyTorch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.symbols import dropped_sentence
from foretext.data.rows import LabelledText
from foretext.finetuning.learner import Found, Learner, Record, Tell
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.messages import message
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.config import FastTextClassifierConfig, ResolvedConfig
from foretext.tasks.fasttext.labelled_texts import TextsWithLabels
from foretext.tasks.fasttext.learner import TrainingTexts, load_pretrained, train
from foretext.tasks.fasttext.search import chosen_sentence, held_out_split, search_settings
from foretext.tasks.fasttext.text_profile import TextProfile
from foretext.tasks.fasttext.training_cost import TrainingCost
from foretext.tasks.predictor import Predictor

__all__ = ["FastTextLearner"]

# Beyond these the linear baseline takes minutes, and three times as long as fastText.
MOST_BASELINE_ROWS, MOST_BASELINE_CHARACTERS = 100_000, 100_000_000

FEW_ROWS = 1000  # by which the end of a run is timed
MOSTLY = 0.5  # share of the letters
BLANKS = ("blanks", "whitespace")


@dataclass(frozen=True)
class FastTextLearner(Learner):
    """Means of the vectors of words and n-grams.

    Settings that are open are chosen for the rows. A search splits off rows of its own to judge by
    unless held-out rows are given.
    """

    origin = "fasttext"
    method = FastTextClassifier.method
    sections = ("classifier", "finetuning")
    uses = frozenset({"seeds", "valid_rate", "refit", "baseline"})
    has_baseline = True
    seed_section = "classifier"
    usual = MappingProxyType(
        {
            "epochs": ("classifier", "epochs"),
            "learning_rate": ("classifier", "lr"),
            "seed": ("classifier", "seed"),
        }
    )

    profile: TextProfile | None = None  # of the rows to learn from, after `start`
    chosen: str | None = None  # which settings were chosen for them, in a sentence
    cost: TrainingCost | None = None  # of one training on them

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return fastText's classifier, which learns classification alone."""
        if task != "classification":
            raise SettingError(f"BASE = 'fasttext': it learns classification, not {task}.")
        return FastTextClassifier

    @property
    def given(self) -> FastTextClassifierConfig:
        """The section `[classifier]`, as it was given."""
        settings = dict(self.settings.get("classifier", {}))
        return FastTextClassifierConfig.checked(settings, "classifier")

    @property
    def config(self) -> ResolvedConfig:
        """The section `[classifier]`, with what was chosen for the rows."""
        assert self.profile is not None, "start() comes first"
        return self.given.resolved(self.profile)

    @property
    def needs_held_out_rows(self) -> bool:
        """For figures, where there are no rows to test on."""
        return self.job.recipe.test is None

    @property
    def refits(self) -> bool:
        """Whether the model that is kept learns from the held-out rows too."""
        alone = self.holds_out_for_figures and self.given.patience is None
        return alone if self.finetuning.refit is None else self.finetuning.refit

    @property
    def expected_seconds(self) -> float | None:
        """What all trainings take by the number of labels, or by their time if that is less."""
        if self.cost is None:
            return None
        limit = self._limit
        seconds = self._num_trainings * self.cost.seconds
        return seconds if limit is None else min(seconds, limit)

    @property
    def _num_trainings(self) -> int:
        return self.finetuning.seeds + self.refits

    @property
    def _limit(self) -> float | None:
        """Seconds that all trainings may take; None: as long as their epochs do."""
        each = self.given.budget_seconds
        return self.job.recipe.budget_seconds if each is None else each * self._num_trainings

    def check(self) -> None:
        """Refuse settings that are unknown, wrong or without effect."""
        super().check()
        if self.given.budget_seconds is not None and self.job.recipe.budget_seconds is not None:
            raise SettingError(message("options.finetune.two_budgets"))

    def start(self, rows: TaskRows) -> Self:
        """Choose the settings that are open, and say which."""
        profile = TextProfile.of(*_texts(rows.train))
        learner = replace(self, profile=profile)
        learner = replace(learner, chosen=chosen_sentence(self.given, learner.config))
        if learner.chosen is not None:
            self.job.note(learner.chosen)
        learner = learner._with_cost(rows, profile)
        if profile.han_rate > MOSTLY and self.given.pre_tokenizer in BLANKS:
            self.job.warn(message("findings.rows.chinese", kind=self.given.pre_tokenizer))
        texts = [row.text for row in rows.train]
        if sentence := dropped_sentence(texts, learner.config.pre_tokenizer, "classifier"):
            self.job.note(sentence)
        return learner if self.finetuning.baseline is not None else learner._with_baseline(rows)

    def untrained(self, rows: TaskRows) -> Predictor | None:
        """Return a classifier that saw a few rows once."""
        config = self.config.model_copy(update={"epochs": 1, "budget_seconds": None})
        few = _texts(sampled(rows.train, FEW_ROWS))
        try:
            trained = train(config, TrainingTexts.of(few, config))
        except CorpusError:  # a few rows may have one label alone
            return None
        return FastTextClassifier.of_model(trained.model)

    def encode(self, model: Predictor, rows: Sequence[Any]) -> None:
        """Cut texts into words."""
        TrainingTexts.of(_texts(rows), self.config)

    def search(self, rows: TaskRows, seconds: float, tell: Tell) -> Found:
        """Try settings on the held-out rows that were given, or on a tenth of the others."""
        some, valid = _texts(rows.train), _texts(rows.valid)
        if not rows.valid or self.holds_out_for_figures:
            some, valid = held_out_split(some, self.given.seed)
        result = search_settings(self.given, some, valid, seconds, tell)
        best = max(result.trials, key=lambda trial: trial["score"])
        tried = {name: value for name, value in best.items() if name not in ("score", "seconds")}
        return Found(
            {"classifier": result.config.recipe()}, result.score, len(result.trials), tried
        )

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Train one classifier; a budget ends it early, and does not prolong it."""
        config = self.config.model_copy(update={"seed": self.seed_of(seed)} if seed else {})
        words = TrainingTexts.of(_texts(rows.learned), config)
        valid = _texts(rows.valid) if rows.valid else None
        trained = train(config, words, valid, load_pretrained(config), context)
        last = trained.history[-1] if trained.history else {"time": 0.0, "epoch": 0.0}
        if context.budget is not None and last["epoch"] < 1:
            context.warn(message("findings.rows.time", share=last["epoch"]))
        model = trained.model.composing(self.form)
        return FastTextClassifier.of_model(model), {**last, "step": len(trained.history)}

    def seed_of(self, seed: int) -> int:
        """Return the seed of one training."""
        return self.given.seed + seed

    def finish(self, model: Predictor, rows: TaskRows, baseline: Baseline | None) -> dict[str, Any]:
        """Return what was chosen for the rows."""
        return {"chosen": self.chosen}

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings, with those that were chosen or that a search found."""
        return {"classifier": self.config.recipe()}

    def _with_cost(self, rows: TaskRows, profile: TextProfile) -> Self:
        """Return the learner that knows what its trainings take, and say it where that is long."""
        counts = Counter(label for row in rows.train for label in row.labels)
        frequent = sum(count >= self.config.min_count_label for count in counts.values())
        cost = TrainingCost.of(self.config, profile, frequent)
        learner = replace(self, cost=cost)
        if said := cost.sentence(learner._num_trainings, learner._limit):
            self.job.note(said)
        return learner

    def _with_baseline(self, rows: TaskRows) -> Self:
        """Return the learner, without a baseline where that would take far longer than it does."""
        size = sum(len(row.text) for row in rows.train)
        if len(rows.train) <= MOST_BASELINE_ROWS and size <= MOST_BASELINE_CHARACTERS:
            return self
        self.job.note(message("notes.baseline.left_out", rows=len(rows.train), characters=size))
        return self.with_settings({"finetuning": {"baseline": False}})


def _texts(rows: Sequence[LabelledText]) -> TextsWithLabels:
    return TextsWithLabels.of_rows(rows)
