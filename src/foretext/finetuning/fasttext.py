"""fastText's classifier as a learner: minutes on any machine, without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from foretext.classifiers.fasttext.classifier import FastTextClassifier
from foretext.classifiers.fasttext.config import FastTextClassifierConfig
from foretext.classifiers.fasttext.labelled_texts import TextsWithLabels
from foretext.classifiers.fasttext.search import held_out_split, search_settings
from foretext.classifiers.fasttext.training import TrainingTexts, load_pretrained, train
from foretext.classifiers.predictor import Predictor
from foretext.corpus.pre_tokenizers import likely_kind
from foretext.data.rows import LabelledText
from foretext.errors import SettingError
from foretext.finetuning.learner import Found, Learner, Record, Tell
from foretext.finetuning.task_rows import TaskRows
from foretext.progress.run_context import RunContext

__all__ = ["FastTextLearner"]

SAMPLE = 1_000  # texts by which the language is judged


@dataclass(frozen=True)
class FastTextLearner(Learner):
    """Means of the vectors of words and n-grams.

    Rows are held out where that is asked for; a search splits off its own.
    """

    origin = "fasttext"
    method = FastTextClassifier.method
    sections = ("classifier", "finetuning")
    uses = frozenset({"seeds", "valid_rate", "baseline"})

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return fastText's classifier, which learns classification alone."""
        if task != "classification":
            raise SettingError(f"BASE = 'fasttext': it learns classification, not {task}.")
        return FastTextClassifier

    @property
    def config(self) -> FastTextClassifierConfig:
        """The section `[classifier]`, with the budget of one seed."""
        settings = dict(self.settings.get("classifier", {}))
        budget = self.job.recipe.budget_seconds
        if budget is not None:
            settings["budget_seconds"] = budget / self.finetuning.seeds
        return FastTextClassifierConfig.checked(settings, "classifier")

    def check(self) -> None:
        """Refuse settings that are unknown, wrong or without effect."""
        super().check()
        assert self.config

    def start(self, rows: TaskRows) -> Self:
        """Warn where blanks do not separate the words of the texts."""
        texts = [row.text for row in rows.train[:: 1 + len(rows.train) // SAMPLE]]
        kind = likely_kind("\n".join(texts))
        if self.config.pre_tokenizer == "blanks" and kind != "unicode_words":
            self.job.note(
                "the texts are Chinese, where blanks separate no words; set "
                f"classifier.pre_tokenizer={kind}"
            )
        return self

    def search(self, rows: TaskRows, seconds: float, tell: Tell) -> Found:
        """Try settings on the held-out rows, or on a tenth of the others where there are none."""
        some, valid = _texts(rows.train), _texts(rows.valid)
        if not rows.valid:
            some, valid = held_out_split(some, self.config.seed)
        result = search_settings(self.config, some, valid, seconds, tell)
        best = max(result.trials, key=lambda trial: trial["score"])
        tried = {name: value for name, value in best.items() if name not in ("score", "seconds")}
        settings = {"classifier": result.config.model_dump(exclude_none=True)}
        return Found(settings, result.score, len(result.trials), tried)

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Train one classifier."""
        config = self.config.model_copy(update={"seed": self.seed_of(seed)} if seed else {})
        words = TrainingTexts.of(_texts(rows.train), config)
        valid = _texts(rows.valid) if rows.valid else None
        pretrained = load_pretrained(config)
        if context.budget is not None:  # what the command has left for it
            left = max(context.budget.left, 1e-3)
            config = config.model_copy(update={"budget_seconds": left})
        trained = train(config, words, valid, pretrained, context)
        last = trained.history[-1] if trained.history else {"time": 0.0}
        return FastTextClassifier.of_model(trained.model), {**last, "step": len(trained.history)}

    def seed_of(self, seed: int) -> int:
        """Return the seed of one training."""
        return self.config.seed + seed

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings, with those that a search found."""
        return {"classifier": self.config.model_dump(exclude_none=True)}


def _texts(rows: Sequence[LabelledText]) -> TextsWithLabels:
    return TextsWithLabels.of_rows(rows)
