"""What one pretraining has to do: a recipe, a corpus and, by option, a model to train further."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.blocks import Beginning, first_bytes
from foretext.corpus.text_shards import TextShards
from foretext.corpus.texts import SourceNames
from foretext.pretraining.plan.times import Closing
from foretext.pretraining.runs import Job
from foretext.pretraining.shared import SharedFolder
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["Base", "PretrainingJob", "Sources", "check_same"]

# Between a run and its resume.
FREE_TO_CHANGE = (
    "workers",
    "checkpoint_seconds",
    "checkpoints_kept",
    "memory",
    "micro_batch_examples",
    "sharding",
    "tensorboard",
)

Sources = SourceNames
Base = Union[str, Path, WordVectors, "LanguageModel", None]  # the model that is trained further


@dataclass(frozen=True, kw_only=True)
class PretrainingJob(Job):
    """One pretraining: what is learned from which text."""

    recipe: Recipe
    corpus: Sources
    base: Base = None
    teacher: LanguageModel | None = None  # whose answers are learned beside the text
    found: Corpus | None = None  # the corpus, where it is open already
    budget: Budget | None = (
        None  # for everything; see `foretext.pretraining.budgets` for what follows
    )
    beginning: Beginning | None = None  # of the corpus, which a budget may cut short
    is_fixed: bool = False  # whether that is decided, so that no budget cuts it
    shards: TextShards | None = None  # processes that read the text, in the place of threads
    shared: SharedFolder | None = None  # what other runs have made of the text, and will use
    closing: Closing = field(default_factory=Closing)  # what is written after the training
    limit: Budget | None = None  # of the training alone

    def text(self) -> Corpus:
        """Return the corpus as the recipe reads it.

        A stream can be read once only: call `opened` first where the text is read again.
        """
        return self.beginning or self.found or Corpus(self.corpus, self.recipe.corpus)

    def opened(self) -> PretrainingJob:
        """Return this job with its corpus open, so that all readers share a stream's copy."""
        return replace(self, found=self.text())

    def fixed(self, text_bytes: int | None) -> PretrainingJob:
        """Return this job with so many stored bytes of its corpus, or all; no budget cuts more."""
        text = self.text()
        return replace(self, found=text, beginning=first_bytes(text, text_bytes), is_fixed=True)

    def shortened(self, text_rate: float) -> PretrainingJob:
        """Return this job with the beginning of its corpus, by a share of the stored bytes."""
        text = self.text()
        if text_rate >= 1 or text.num_bytes is None:
            return self
        return replace(self, beginning=Beginning(text, round(text_rate * text.num_bytes)))

    def training_context(self) -> AbstractContextManager[RunContext]:
        """Open what the training of the recipe writes to."""
        rate = self.recipe.data.valid_rate
        engine = None if self.shards is None else self.shards.engine
        return self.context(self.recipe.name, valid_rate=rate, budget=self.limit, engine=engine)

    def drop_shards(self) -> None:
        """Remove what is known of shards of the text, once all of it is encoded."""
        if self.shards is not None or self.run.has_shards:
            shutil.rmtree(self.run.shards, ignore_errors=True)

    @property
    def used_text(self) -> dict[str, float]:
        """What the facts of a run say of a text that a budget has cut short."""
        share = 1.0 if self.beginning is None else self.beginning.share
        return {} if share == 1 else {"text_rate": round(share, 4)}

    @property
    def learns_vectors(self) -> bool:
        """Whether word vectors are learned."""
        return not (self.recipe.is_language_model or self.recipe.is_autoencoder)


def check_same(recipe: Recipe, run: RunFolder) -> None:
    """Refuse to resume a run with another recipe than it began with."""
    before = Recipe.of_run(run.recipe).sections()
    for section, settings in recipe.sections().items():
        for setting in sorted(settings.keys() | before.get(section, {}).keys()):
            old, new = before.get(section, {}).get(setting), settings.get(setting)
            if old != new and setting not in FREE_TO_CHANGE:
                raise SettingError(
                    f"{run.named} began with {section}.{setting} = {old!r}, not {new!r}; "
                    "resume with the same settings, or begin a run in another folder."
                )
