"""What a training with many labels takes of time, said before it begins.

Softmax and one-vs-all compute a score of every label for every text, so that the time grows with
labels, texts, epochs and the numbers of a vector. Hierarchical softmax (Joulin et al. 2017, "Bag of
Tricks for Efficient Text Classification", 2.1) computes as many as its tree is deep.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

from foretext.base.counted import counted
from foretext.base.runtime import usable_cores
from foretext.progress.bar import seconds_in_words
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.text_profile import TextProfile

__all__ = ["TrainingCost"]

# Measured on 500 to 8,000 labels, 4,000 to 24,000 texts of 8 words: 0.28 to 0.5 a core.
OUTPUT_NANOSECONDS = 0.45  # to score and to move one number of a label's vector
INPUT_NANOSECONDS = 0.5  # to read and to move one number of a word's vector, at most
WORD_LETTERS = 6.0  # of a word with its blank, about
MANY_LABELS = 100  # with fewer, the words of the texts decide
LONG_SECONDS = 20.0  # from here on a run says it
MUCH_FASTER = 5.0  # times, from which another loss is named


class TrainingCost(NamedTuple):
    """What one training takes, about.

    Attributes:
        num_labels: that are learned.
        num_texts: to learn from.
        num_words: of all texts, about.
        epochs: passes over the texts.
        config: the settings.
    """

    num_labels: int
    num_texts: int
    num_words: float
    epochs: int
    config: ResolvedConfig

    @classmethod
    def of(cls, config: ResolvedConfig, profile: TextProfile, num_labels: int) -> Self:
        """Return the cost of a training.

        Args:
            config: the settings; a budget in place of epochs ends it at its time.
            profile: of the texts to learn from.
            num_labels: that are frequent enough to be learned.
        """
        epochs = config.epochs if config.budget_seconds is None else profile.epochs
        words = profile.num_characters / WORD_LETTERS
        return cls(num_labels, profile.num_texts, words, epochs, config)

    @property
    def seconds(self) -> float:
        """Seconds of one training with all epochs, where nothing else keeps the cores busy."""
        return self._seconds_with(self._num_outputs)

    @property
    def hierarchical_seconds(self) -> float:
        """The same with hierarchical softmax."""
        return self._seconds_with(self._depth)

    def sentence(self, num_trainings: int, limit: float | None) -> str | None:
        """Say what a long training takes, and what is faster; None: it is short.

        Args:
            num_trainings: one for each seed, and one with all rows.
            limit: seconds that they may take together; None: as long as they take.
        """
        seconds = num_trainings * self.seconds
        if self.num_labels < MANY_LABELS or seconds <= (LONG_SECONDS if limit is None else limit):
            return None
        each = "the training" if num_trainings == 1 else f"each of {num_trainings} trainings"
        verb = "takes" if limit is None else "would take"
        passes = counted(self.epochs, "epoch")
        said = (
            f"{self.num_labels:,} labels, {self.num_texts:,} rows, {passes} and dim "
            f"{self.config.dim}: {each} {verb} about {seconds_in_words(self.seconds)} "
            f"{self._cores_in_words}"
        )
        if limit is not None:
            said += f", and its time is enough for about {self.epochs * limit / seconds:.2g} epochs"
        if self.config.loss != "softmax" or self.seconds < MUCH_FASTER * self.hierarchical_seconds:
            can_be_fewer = self.epochs > 1 and self.config.budget_seconds is None
            fewer = "fewer classifier.epochs or a smaller classifier.dim take less"
            return f"{said}; {fewer if can_be_fewer else 'a smaller classifier.dim takes less'}"
        faster = seconds_in_words(self.hierarchical_seconds)
        return (
            f"{said}; classifier.loss=hs takes about {faster}, and is less accurate for "
            "labels with few rows"
        )

    def _seconds_with(self, num_outputs: float) -> float:
        """Seconds where a text is compared with so many vectors."""
        config = self.config
        per_word = config.word_ngrams + max(config.maxn - config.minn + 1, 0) * bool(config.maxn)
        work = self.num_texts * num_outputs * OUTPUT_NANOSECONDS
        work += self.num_words * per_word * INPUT_NANOSECONDS
        return work * config.dim * self.epochs / self._cores / 1e9

    @property
    def _cores(self) -> int:
        return min(self.config.workers, usable_cores())

    @property
    def _cores_in_words(self) -> str:
        return "on a core" if self._cores == 1 else f"on {self._cores} free cores"

    @property
    def _num_outputs(self) -> float:
        if self.config.loss == "hs":
            return self._depth
        return self.config.negative + 1.0 if self.config.loss == "ns" else float(self.num_labels)

    @property
    def _depth(self) -> float:
        """Decisions on the way to a label, about."""
        return math.log2(max(self.num_labels, 2)) + 1
