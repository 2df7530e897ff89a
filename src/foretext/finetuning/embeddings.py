"""The classifier of frozen vectors as a learner: linear heads on what was pretrained."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.finetuning.base_names import AUTO, EMBEDDINGS
from foretext.finetuning.learner import Learner, Record
from foretext.finetuning.task_rows import TaskRows
from foretext.messages import message
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.predictor import Predictor

__all__ = ["EmbeddingLearner"]


@dataclass(frozen=True)
class EmbeddingLearner(Learner):
    """Logistic regressions on frozen bases and on words; cross-validation chooses what is open."""

    origin = EMBEDDINGS
    method = EmbeddingClassifier.method
    sections = ("embeddings", "finetuning")
    uses = frozenset({"valid_rate", "refit", "baseline"})
    has_baseline = True
    takes_budget = False
    learns_from_texts = True
    takes_others = True
    seed_section = "embeddings"
    usual = MappingProxyType({"seed": ("embeddings", "seed")})

    pretrained: tuple[Path, ...] = ()  # folders, called as their bases are, pretrained for this run

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the classifier of frozen vectors, which learns classification alone."""
        if task != "classification":
            raise SettingError(
                f"A linear head on frozen vectors learns classification, not {task}; give another "
                "BASE."
            )
        return EmbeddingClassifier

    @property
    def config(self) -> EmbeddingsConfig:
        """The section `[embeddings]`."""
        return EmbeddingsConfig.checked(dict(self.settings.get("embeddings", {})), "embeddings")

    @property
    def bases(self) -> list[tuple[str, Any]]:
        """What embeds texts, with its name: BASE, where it is no name, and those of --with."""
        recipe = self.job.recipe
        is_named = isinstance(recipe.base, str | Path) and str(recipe.base) in (AUTO, EMBEDDINGS)
        given = [*([] if is_named else [recipe.base]), *recipe.beside]
        names = [
            str(base) if isinstance(base, str | Path) else type(base).__name__ for base in given
        ]
        names += [path.name for path in self.pretrained]
        return list(zip(_distinct(names), [*given, *self.pretrained], strict=True))

    @property
    def needs_held_out_rows(self) -> bool:
        """For figures, where there are no rows to test on."""
        return self.job.recipe.test is None

    @property
    def refits(self) -> bool:
        """Whether the model that is kept learns from the held-out rows too."""
        chosen, recipe = self.finetuning.refit, self.job.recipe
        if chosen is not None:
            return chosen
        has_valid = recipe.valid is not None or self.finetuning.valid_rate is not None
        return recipe.test is None and not has_valid

    def check(self) -> None:
        """Refuse times and a teacher as well, and bases that embed no texts."""
        super().check()
        recipe = self.job.recipe
        given = {
            "--budget": recipe.budget_seconds,
            "--search": recipe.search_seconds,
            "--teacher": recipe.teacher,
        }
        self.refuse_options(given, "frozen vectors under a linear head; leave it out.")
        self.check_texts()
        self._classifier(0).opened_views()

    def check_texts(self) -> None:
        """Refuse a setting of texts without labels where there are none."""
        if "semi_supervised" in self.config.changed and self.job.recipe.unlabelled is None:
            raise SettingError(
                "[embeddings] semi_supervised has no effect without --unlabelled; leave it out."
            )

    def untrained(self, rows: TaskRows) -> Predictor:
        """Return a classifier of a row for each label, which answers as slowly as a whole one."""
        first = {row.labels: row for row in reversed(rows.train)}
        texts = [row.text for row in first.values()]
        settings = {**self.config.model_dump(), "inverse_penalty": 1.0, "semi_supervised": False}
        return EmbeddingClassifier(self.bases, **settings).fit(texts, [*first])

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Learn from all rows at once."""
        began = time.monotonic()
        classifier = self._classifier(seed).composing(self.form)
        texts, labels = [row.text for row in rows.train], [row.labels for row in rows.train]
        unlabelled = [row.text for row in rows.unlabelled]
        classifier.fit(texts, labels, unlabelled=unlabelled, context=context)
        return classifier, {"step": len(classifier.heads), "time": time.monotonic() - began}

    def seed_of(self, seed: int) -> int:
        """Return the seed by which the rows are cut."""
        return self.config.seed + seed

    def finish(self, model: Any, rows: TaskRows, baseline: Baseline | None) -> dict[str, Any]:
        """Say what each view counts, and what cross-validation says of all together."""
        for sentence in _notes(model, self.config):
            self.job.note(sentence)
        return {}

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings; penalties and weights are chosen again where the run is repeated."""
        return {"embeddings": model.config.kept()}

    def _classifier(self, seed: int) -> EmbeddingClassifier:
        settings = {**self.config.model_dump(), "seed": self.seed_of(seed)}
        return EmbeddingClassifier(self.bases, **settings)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names, with a number behind one that another has had."""
    seen, found = Counter[str](), []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _notes(model: EmbeddingClassifier, config: EmbeddingsConfig) -> Sequence[str]:
    """Return what a person should know of how the heads were chosen."""
    notes = [
        message("notes.heads.no_counts", name=view.name)
        for view in model.views
        if view.lacks_counts and config.weighting is None
    ]
    if model.log_loss is None:
        strengths = ", ".join(f"{head.inverse_penalty:g}" for head in model.heads)
        notes.append(message("notes.heads.no_fold", strengths=strengths))
    else:
        parts = ", ".join(f"{head.name} {head.weight:.2f}" for head in model.heads)
        notes.append(
            message(
                "notes.heads.crossed",
                heads=number_of("head", len(model.heads)),
                parts=parts,
                accuracy=model.accuracy,
                loss=model.log_loss,
            )
        )
    return notes
