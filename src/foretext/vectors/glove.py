"""GloVe: vectors whose dot products are the logarithms of co-occurrence counts.

Pennington et al. 2014, "GloVe: Global Vectors for Word Representation": the sum over non-zero cells
of h(X) (v . u + b + c - log X)**2 with h(x) = min(x / x_max, 1)**exponent is made small by AdaGrad.
What is kept is v + u. The inner loop is in `foretext.kernels.glove`.

Two deviations from the authors' program: a step is divided by a root that has the step itself in
the sum (Duchi et al. 2011), which no gradient can blow up, so that nothing need be clipped; and
cells come tile by tile, not shuffled one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from foretext.base.config import size_bytes
from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import temporary_folder
from foretext.data.token_file import Tokens
from foretext.messages import message
from foretext.progress import Progress
from foretext.progress.budget import Budget, duration_option
from foretext.progress.run_context import RunContext
from foretext.shown import Shown
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.pair_counts import count_cooccurrence, open_cooccurrence
from foretext.vectors.schedule import ProcessesConfig
from foretext.vectors.showing.glove import PairExamples
from foretext.vectors.tile_descent import TileDescent
from foretext.vectors.tiles import Tiles
from foretext.vectors.word_vectors import WordVectors

__all__ = ["GloVe"]

COUNTING_RATE = 0.5  # of a limited time, at most
SEEN_SECONDS = 1.0  # of counting, before it is said how long it will take


class GloVe:
    """Word vectors from counts of which words stand near each other.

    Args:
        config: the user's settings.
        vocabulary: words and counts; id 0 stands for unknown words and has no vector.
        tokens: the text to learn from; of held-out text it makes no use.
        base: vectors to go on from, for the words it knows.
        base_outputs: the context vectors in `base`, (len(base), D), where they were kept.

    Raises:
        CorpusError: fewer than two words, or `base` has vectors of another size.
    """

    class Config(ProcessesConfig):
        """Settings of GloVe."""

        vector_size: int = Field(100, ge=1, le=10_000)
        """Numbers of a vector."""
        window: int = Field(15, ge=1, le=1_000)
        """Words to each side."""
        by_distance: bool = True
        """A pair at distance d counts 1 / d; else each counts 1."""
        x_max: float = Field(100.0, gt=0)
        """Count from which on a cell weighs 1."""
        exponent: float = Field(0.75, ge=0)
        """Exponent of count / x_max, the weight of smaller counts."""
        alpha: float = Field(0.05, gt=0)
        """Learning rate."""
        epochs: int = Field(25, ge=1)
        """Passes over all cells."""
        memory: str = "2GB"
        """Memory for counting, and for the cells in training, such as 512MB."""
        cooccurrence: str | None = None
        """Folder of an earlier run's counts; none: count."""

        @field_validator("memory")
        @classmethod
        def _is_a_size(cls, value: str) -> str:
            size_bytes(value)
            return value

        @model_validator(mode="after")
        def _has_effect(self) -> GloVe.Config:
            if self.budget_seconds is not None and "epochs" in self.changed:
                raise ValueError("epochs would have no effect under a budget")
            if self.exponent == 0 and "x_max" in self.changed:
                raise ValueError(
                    "x_max would have no effect with exponent = 0: every cell weighs 1"
                )
            if self.window == 1 and not self.by_distance:
                raise ValueError(
                    "by_distance = false would have no effect with window = 1: all distances are 1"
                )
            return self

    held_out: ClassVar[str] = "cells"

    def __init__(
        self,
        config: GloVe.Config,
        vocabulary: Vocabulary,
        tokens: Tokens,
        *,
        base: WordVectors | None = None,
        base_outputs: np.ndarray | None = None,
    ) -> None:
        vocabulary.require_two_words()
        self.config = config
        self.vocabulary = vocabulary
        self.tokens = tokens
        self.weights = GloveWeights(len(vocabulary.words), config.vector_size, config.seed)
        if base is not None:
            self._start_from(base, base_outputs)

    def train(self, context: RunContext) -> list[dict[str, Any]]:
        """Count, then learn; returns the records.

        Raises:
            CorpusError: no two words stand within a window of each other.
            Interrupted: a signal asked for it; a checkpoint is saved if the context keeps them.
            SettingError: too little memory, or the loss is no longer a number.
        """
        counted = self._count(context)
        with self._tiles(counted, context) as tiles:
            descent = TileDescent(self.weights, tiles, self.config, self.config.alpha, context)
            if context.resume:
                descent.resume()
            return descent.run()

    @property
    def outputs(self) -> np.ndarray:
        """Context vectors u of the words, (V - 1, D): row 0 is the first known word."""
        return self.weights.contexts[1:]

    def vectors(self, split: Callable[[str], list[str]] | None = None) -> WordVectors:
        """The sums v + u; `split` cuts texts to embed into words."""
        kept = (self.weights.words + self.weights.contexts)[1:]
        counts = np.asarray(self.vocabulary.counts[1:], np.int64)
        return WordVectors(self.vocabulary.words[1:], kept, counts, split=split)

    def show(self, number: int, seed: int) -> list[Shown]:
        """Show the pairs of words: the matrix, so many words that are drawn, ratios, weights."""
        with temporary_folder() as folder:
            return self.examples(folder).shown(number, seed)

    def examples(self, folder: Path) -> PairExamples:
        """Count the pairs into a folder, with and without the weight of their distance."""
        counts = np.array(self.vocabulary.counts, np.int64)
        counts[0] = 0
        plain, weighted = (
            count_cooccurrence(
                self.tokens.train,
                self.config.window,
                folder / name,
                by_distance=by_distance,
                memory=size_bytes(self.config.memory),
                workers=self.config.workers,
            )
            for name, by_distance in (("plain", False), ("weighted", True))
        )
        words = self.vocabulary.words
        return PairExamples(self.config, words, counts, plain, weighted, self.weights)

    def _count(self, context: RunContext) -> Cooccurrence:
        """Open an earlier run's counts; or count into the run's folder, or find them there."""
        if self.config.cooccurrence is not None:
            folder = Path(self.config.cooccurrence)
            return open_cooccurrence(
                self.tokens.train,
                self.config.window,
                folder,
                by_distance=self.config.by_distance,
            )
        num_words = float(self.vocabulary.counts[1:].sum())
        with Progress(
            message("progress.counting_pairs"), num_words, "words", quiet=context.quiet
        ) as bar:
            counted = count_cooccurrence(
                self.tokens.train,
                self.config.window,
                context.folder / "cooccurrence",
                by_distance=self.config.by_distance,
                memory=size_bytes(self.config.memory),
                workers=self.config.workers,
                progress=_InTime(bar, context.budget),
                engine=context.engine,
            )
        if counted.num_cells == 0:
            raise CorpusError(
                f"No two words stand within {self.config.window} words of each other in a "
                "sentence; give longer sentences or lower min_count."
            )
        return counted

    def _tiles(self, counted: Cooccurrence, context: RunContext) -> Tiles:
        """Cut the matrix; other processes of this machine read the cells from files."""
        on_cluster = context.engine is not None and context.engine.cluster is not None
        is_alone = self.config.processes == 1 or on_cluster
        return Tiles(
            counted,
            self.weights.blocks,
            x_max=self.config.x_max,
            exponent=self.config.exponent,
            valid_rate=context.valid_rate,
            seed=self.config.seed,
            memory=size_bytes(self.config.memory) if is_alone else 0,
            folder=context.folder / "tiles",
        )

    def _start_from(self, base: WordVectors, outputs: np.ndarray | None) -> None:
        """Cut each known vector into u, or a half where u was not kept, and the rest."""
        if base.vector_size != self.config.vector_size:
            raise CorpusError(
                f"The vectors to go on from have {base.vector_size} dimensions, but vector_size is "
                f"{self.config.vector_size}; set vector_size = {base.vector_size}."
            )
        known = [
            (row, base.key_to_index[word])
            for row, word in enumerate(self.vocabulary.words)
            if row and word in base.key_to_index
        ]
        ids, rows = np.array(known, np.int64).reshape(-1, 2).T
        contexts = base.vectors / 2 if outputs is None else outputs
        self.weights.assign(ids, (base.vectors - contexts)[rows], contexts[rows])


class _InTime:
    """Passes on how far the counting has come, and refuses it once it is seen to take too long.

    Args:
        bar: shows it.
        budget: for counting and training; None: as long as they take.
    """

    def __init__(self, bar: Progress, budget: Budget | None) -> None:
        self.bar = bar
        self.seconds = math.inf if budget is None else budget.left

    def stage(self, title: str) -> None:
        """Show another part of the work."""
        self.bar.stage(title)

    def advance(self, amount: float) -> None:
        """Add to the words done.

        Raises:
            SettingError: the training would get less than half of the time.
        """
        self.bar.advance(amount)
        if self.bar.elapsed < SEEN_SECONDS or not self.bar.share:
            return
        needed = self.bar.elapsed / self.bar.share
        if needed > COUNTING_RATE * self.seconds:
            missing = duration_option(needed / COUNTING_RATE - self.seconds)
            raise SettingError(
                f"[vectors] GloVe would count pairs for {needed:.0f} s of the {self.seconds:.0f} s "
                f"that the budget leaves; raise --budget by {missing} at least, give less text, or "
                "lower vectors.window."
            )
