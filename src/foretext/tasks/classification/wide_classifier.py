"""Classifiers whose head may read the words of a text beside the states of the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError, SettingError
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledText
from foretext.heads.base import Head
from foretext.heads.classification import ClassificationHead
from foretext.heads.task_base import TaskBase
from foretext.tasks.classification.labeller import TextLabeller
from foretext.tasks.classification.word_reader import ReadWords, WordReader
from foretext.tasks.classification.word_vocabulary import WORDS_FILE, WordVocabulary
from foretext.tasks.classification.words import LearnedWords, learned_words
from foretext.tasks.explanation import Asked, Weighed
from foretext.tasks.explanation.gradient_words import GradientWords
from foretext.tasks.head_scales import FEWEST_ROWS, scale_by_rows
from foretext.tasks.windows import Windows

__all__ = ["WideClassifier"]

Logits = NDArray[np.float64]


class WideClassifier(TextLabeller, GradientWords):
    """A network over texts; with `task.word_features` it is wide and deep.

    Attributes:
        words: finds the features of texts; None: the head reads none.
    """

    head: ClassificationHead
    words: WordReader | None = None
    explained_by = GradientWords.explained_by

    @classmethod
    def learns_words(cls, config: Any) -> bool:
        """Whether the head reads words."""
        return bool(config.word_features != "none")

    @classmethod
    def check_joins(cls, config: Any) -> None:
        """Refuse an ensemble with a linear classifier that is in the network already.

        Raises:
            SettingError: the head reads words.
        """
        if cls.learns_words(config):
            raise SettingError(
                "[task] word_features has the linear classifier in the network, and an ensemble "
                "would count it twice; leave one of the two out."
            )

    @classmethod
    def begin(
        cls,
        base: TaskBase,
        config: Any,
        rows: Sequence[LabelledText],
        words: LearnedWords | None = None,
    ) -> Self:
        """Put an untrained head for these rows on a base.

        Args:
            base: tokenizer and backbone.
            config: the user's settings.
            rows: to learn from.
            words: what is known of their words; None: where the head reads any, it is learned here.

        Raises:
            CorpusError: nothing can be learned from the rows.
            SettingError: the head does not fit the base.
        """
        if not cls.learns_words(config):
            return super().begin(base, config, rows)
        found = cls.find(rows)
        words = words or learned_words(rows, found["labels"])
        head: Head = cls.head_class(config, base, **found, num_word_features=len(words.vocabulary))
        model = cls(base, head)
        model._read_words(words.vocabulary, words)
        return model

    def finish(self, rows: Sequence[LabelledText]) -> list[str]:
        """Weigh network and words by held-out rows, if there are enough of them."""
        head = self.head.words
        if head is None or self.words is None or len(rows) < FEWEST_ROWS:
            return []
        texts = [row.text for row in rows]
        windows = self._windows(texts)
        words = float(head.scale.detach()) * self.words.logits(texts).astype(np.float64)
        network = windows.merged(self._logits(windows), len(rows)) - words
        both = np.stack([network, words])
        own, answers = self.head.classifier, self.head.answers
        return scale_by_rows(own, head, answers.labels, both, rows, are_sets=answers.are_sets)

    def save_parts(self, folder: Path) -> None:
        """Write which words the head reads."""
        if self.words is not None:
            self.words.vocabulary.write(folder / WORDS_FILE)

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Read which words the head reads."""
        if self.head.words is None:
            return
        path = folder / WORDS_FILE
        vocabulary = WordVocabulary.read(path)
        if len(vocabulary) != len(self.head.words.weight):
            raise ModelFileError(
                f"{path} has {len(vocabulary):,} features, and the head beside it weighs "
                f"{len(self.head.words.weight):,}; fetch or write both again."
            )
        self._read_words(vocabulary)

    def weigh(self, asked: Asked, method: str) -> list[Weighed]:
        """Weigh words by gradients, those that the head reads exactly."""
        found = super().weigh(asked, method)
        if self.words is None:
            return found
        answers = self.head.answers
        return self.words.weighed(
            found, asked, answers.labels, self.temperature, is_multi_label=answers.are_sets
        )

    def _read_words(self, vocabulary: WordVocabulary, learned: LearnedWords | None = None) -> None:
        head = self.head.words
        assert head is not None, "a head without words"
        if learned is not None:
            with torch.no_grad():
                for own, given in zip((head.weight, head.bias), learned.weights, strict=True):
                    own.copy_(torch.from_numpy(given))
        self.words = WordReader(vocabulary, head, learned)

    def _windows(self, texts: Sequence[str]) -> Windows:
        config = self.head.config
        return Windows.of(self.base, texts, config.max_length, config.long_texts)

    def _padded(
        self, windows: Windows, targets: dict[str, Any], read: ReadWords | None = None
    ) -> PaddedExamples:
        """Return windows as examples; `read`: what is known of the words of their texts."""
        if self.words is not None and read is None:
            read = self.words.read(windows.texts)
        return PaddedExamples(
            windows.rows,
            targets,
            pad=self.base.pad,
            visibility=self.base.visibility,
            needed=self.head.needed,
            **(read or ReadWords()).of_rows(windows.owners)._asdict(),
        )

    def _logits(self, windows: Windows) -> Logits:
        """Return the logits of each window, (rows, C)."""
        outputs = self.outputs(self._padded(windows, {}))
        return np.array(outputs, np.float64).reshape(-1, self.head.answers.num_outputs)

    def _read_rows(self, rows: Sequence[LabelledText]) -> ReadWords:
        """Return what the head reads of the words of rows to learn from, or to measure by."""
        return ReadWords() if self.words is None else self.words.read_rows(rows)
