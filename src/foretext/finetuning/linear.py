"""The linear models of texts, pairs and tokens as learners: they learn at once, without PyTorch."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.corpus.symbols import dropped_sentence
from foretext.finetuning.learner import Learner, Record
from foretext.finetuning.task_rows import TaskRows
from foretext.messages import clauses, message
from foretext.progress.run_context import RunContext
from foretext.tasks.classification.linear import LinearClassifier, LinearConfig
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.matching.pair_regression import PairRegressionConfig
from foretext.tasks.predictor import Predictor
from foretext.tasks.tagging.linear import LinearTagger, idle_length
from foretext.tasks.tagging.linear_features import FrozenVectors
from foretext.tasks.tagging.linear_storage import LinearTaggerConfig

__all__ = ["LinearLearner", "LinearPairLearner", "LinearTagLearner"]

FEW_PASSES = 5  # of stochastic average gradients, over rows with very many labels


class RegressionLearner(Learner):
    """A regression on features of rows; its loss has one minimum, so that seeds change little."""

    origin = "linear"
    sections = ("linear", "finetuning")
    uses = frozenset({"valid_rate", "refit", "baseline"})
    has_baseline = True  # it takes no time: the most frequent label
    takes_budget = False

    @property
    @abstractmethod
    def config(self) -> Config:
        """The section `[linear]`."""

    @property
    def needs_held_out_rows(self) -> bool:
        """For figures, where there are no rows to test on."""
        return self.job.recipe.test is None

    @property
    def refits(self) -> bool:
        """Whether the model that is kept learns from the held-out rows too."""
        chosen = self.finetuning.refit
        return self.holds_out_for_figures if chosen is None else chosen

    def check(self) -> None:
        """Refuse times as well: there is nothing to stop or to search for."""
        super().check()
        recipe = self.job.recipe
        times = {"--budget": recipe.budget_seconds, "--search": recipe.search_seconds}
        self.refuse_options(times, f"'{recipe.base}', which learns at once.")
        _ = self.config  # a wrong setting is an error before rows are read


@dataclass(frozen=True)
class LinearLearner(RegressionLearner):
    """TF-IDF and logistic regression."""

    method = LinearClassifier.method
    usual = MappingProxyType({"seed": ("linear", "seed")})

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the linear classifier; pairs and tokens have other learners."""
        if task != "classification":
            raise _not_learned(task)
        return LinearClassifier

    @property
    def config(self) -> LinearConfig:
        """The section `[linear]`."""
        return LinearConfig.checked(dict(self.settings.get("linear", {})), "linear")

    def start(self, rows: TaskRows) -> Self:
        """Choose the features by the rows to learn from, once for all trainings."""
        texts = [row.text for row in rows.train]
        config = self.config.resolved(texts)
        if config.features == "words" and (
            sentence := dropped_sentence(texts, config.pre_tokenizer, "linear")
        ):
            self.job.note(sentence)
        classifier = LinearClassifier(**config.model_dump())
        if cost := classifier.long_cost(texts, [row.labels for row in rows.train]):
            known = {"size": cost.size_in_words, "time": cost.time_in_words}
            parts = [message("notes.finetune.long", **known)]
            if config.max_passes > FEW_PASSES:
                parts.append(message("notes.finetune.fewer_passes", passes=FEW_PASSES))
            self.job.note(clauses(parts))
        return self.with_settings({"linear": config.kept()})

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Learn from all rows at once; a step is a pass over them."""
        began = time.monotonic()
        classifier = LinearClassifier(**self.config.model_dump())
        texts, labels = [row.text for row in rows.train], [row.labels for row in rows.train]
        classifier.fit(texts, labels, context=context)
        record = {"step": classifier.num_passes, "time": time.monotonic() - began}
        return classifier.composing(self.form), record

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings, with the features that were chosen for the texts."""
        return {"linear": model.config.kept()}


@dataclass(frozen=True)
class LinearPairLearner(RegressionLearner):
    """A regression on the words and characters that both texts of a pair share."""

    method = LinearMatcher.method

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the linear matcher; single texts and tokens have other learners."""
        if task != "matching":
            raise _not_learned(task)
        return LinearMatcher

    @property
    def config(self) -> PairRegressionConfig:
        """The section `[linear]`."""
        return PairRegressionConfig.checked(dict(self.settings.get("linear", {})), "linear")

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Learn from all rows at once."""
        began = time.monotonic()
        matcher = LinearMatcher(**self.config.model_dump())
        matcher.fit_rows(rows.train, context=context).composing(self.form)
        return matcher, {"step": 1, "time": time.monotonic() - began}

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings."""
        return {"linear": model.config.kept()}


@dataclass(frozen=True)
class LinearTagLearner(RegressionLearner):
    """A linear-chain CRF over features of words, and over word vectors.

    Args:
        pretrained: vectors that were pretrained for this run; None: there are none.
    """

    method = LinearTagger.method
    takes_others = True

    pretrained: Path | None = None

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the linear tagger; texts and pairs have other learners."""
        if task != "tagging":
            raise _not_learned(task)
        return LinearTagger

    @property
    def config(self) -> LinearTaggerConfig:
        """The section `[linear]`."""
        return LinearTaggerConfig.checked(dict(self.settings.get("linear", {})), "linear")

    @property
    def vectors(self) -> Any:
        """The word vectors that are read: of --with, or pretrained; None: none are."""
        return next(iter([*self.job.recipe.beside, self.pretrained]))

    @property
    def refits(self) -> bool:
        """Whether the model that is kept learns from the held-out rows too."""
        chosen, recipe = self.finetuning.refit, self.job.recipe
        if chosen is not None:
            return chosen
        return recipe.valid is None and self.finetuning.valid_rate is None

    def check(self) -> None:
        """Refuse several vectors, what holds none, and a length of vectors that there are not."""
        super().check()
        beside = self.job.recipe.beside
        if not beside and "vector_length" in self.config.changed:
            raise idle_length()
        if len(beside) > 1:
            raise SettingError(
                f"--with names {len(beside)} bases, and a linear tagger reads the vectors of one; "
                "leave the others out."
            )
        if beside:
            FrozenVectors.of(beside[0])

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Learn from all rows, a step for each pass over them."""
        began = time.monotonic()
        tagger = LinearTagger(self.vectors, **self.config.model_dump())
        tagger.fit_rows(rows.train, context=context).composing(self.form)
        return tagger, {"step": tagger.num_passes, "time": time.monotonic() - began}

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings; without vectors those of vectors would be refused."""
        kept = model.config.kept()
        if self.vectors is None:
            del kept["vector_length"]
        return {"linear": kept}


def _not_learned(task: str) -> SettingError:
    return SettingError(
        f"BASE = 'linear': it learns classification, matching and tagging, not {task}."
    )
