"""A classifier of texts in use: labels, their probabilities, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError, SettingError
from foretext.data.rows import LabelledText
from foretext.tasks.class_answers import (
    ClassAnswers,
    check_single,
    label_temperature,
)
from foretext.tasks.classification.ensemble import Ensemble, Weights
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import FILE
from foretext.tasks.classification.task import ClassifierLearning
from foretext.tasks.explanation import Asked, Texts, Weighed
from foretext.tasks.explanation.gradient_words import TokenRows, text_places
from foretext.tasks.model import KeptFacts

__all__ = ["TextClassifier"]

Probabilities = NDArray[np.float64]

_TINY = 1e-12  # a probability
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Weights(TypedDict):
    network: _Weight
    linear: _Weight


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a classifier."""

    ensemble: _Weights


class TextClassifier(ClassifierLearning):
    """Texts to one label, or to any number of them.

    Attributes:
        ensemble: a linear classifier that answers together with the network; None: there is none.
    """

    ensemble: Ensemble | None = None
    facts_type: ClassVar = _Facts
    explained_by = ClassifierLearning.explained_by
    abilities = (*ClassifierLearning.abilities, "tokenize", "decode")

    @property
    def can_calibrate(self) -> bool:
        """Whether a temperature can be fitted; the weights of an ensemble calibrate already."""
        return not self.is_multi_label and self.ensemble is None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.head.answers.labels

    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        labels, merged = self.head.answers.labels, self._merged(texts)
        alone = ClassAnswers(labels, merged, self.is_multi_label)
        if self.ensemble is None:
            return alone
        together = self.ensemble.probabilities(self._as_logits(merged), texts)
        return ClassAnswers(labels, together, self.is_multi_label, network=alone)

    def calibrate(self, rows: Sequence[LabelledText]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: texts have several labels, or an ensemble answers.
            CorpusError: no row has a label that is known.
        """
        if self.ensemble is not None:
            raise SettingError("The weights of the ensemble calibrate already; join it again.")
        if self.is_multi_label:
            raise SettingError("Probabilities of several labels a text cannot be calibrated.")
        windows = self._windows([row.text for row in rows])
        logits = windows.merged(self._logits(windows), len(rows))
        self.temperature = label_temperature(self.head.answers.labels, logits, rows)
        return self.temperature

    def join(self, linear: LinearClassifier, rows: Sequence[LabelledText]) -> Weights:
        """Answer together with a linear classifier from now on; return the weights of both.

        Args:
            linear: that learned the same labels.
            rows: held out from both; they decide on the weights.

        Raises:
            CorpusError: no row has a label that is known.
            SettingError: the linear classifier has other labels, or the head reads words already.
        """
        self.check_joins(self.head.config)
        if not self._has_labels_of(linear):
            raise SettingError(
                "The linear classifier has other labels than the network; train both on the same "
                "rows."
            )
        if not self.is_multi_label:
            check_single(rows)
        self.ensemble = None
        answers = self.answer_rows(rows)
        self.ensemble = Ensemble.fit(linear, self._as_logits(answers.probabilities), rows)
        return self.ensemble.weights

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.ensemble is None:
            return super().facts()
        return {**super().facts(), "ensemble": self.ensemble.weights._asdict()}

    def save_parts(self, folder: Path) -> None:
        """Write the linear classifier of the ensemble, or the words that the head reads."""
        super().save_parts(folder)
        if self.ensemble is not None:
            self.ensemble.linear.write_file(folder / FILE)

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Read the linear classifier of the ensemble, or the words that the head reads."""
        super().load_parts(folder, facts)
        if "ensemble" not in facts:
            return
        linear = LinearClassifier.read_file(folder / FILE)
        if not self._has_labels_of(linear):
            raise ModelFileError(
                f"{folder / FILE} has other labels than the network beside it; fetch or write both "
                "again."
            )
        self.ensemble = Ensemble(linear, Weights(**facts["ensemble"]))

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        """Return how many windows each text has."""
        counts = self._windows([text for (text,) in inputs]).counts(len(inputs))
        return [int(count) for count in counts]

    def token_rows(self, texts: Texts) -> TokenRows:
        """Return the windows of a text, and the characters of their tokens."""
        config = self.head.config
        places = text_places(self.base, texts[0], config.max_length, config.long_texts)
        return TokenRows(self._padded(self._windows(texts), {}), places)

    def weigh(self, asked: Asked, method: str) -> list[Weighed]:
        """Weigh words by gradients, those of a linear classifier of an ensemble exactly."""
        found = super().weigh(asked, method)
        return found if self.ensemble is None else self.ensemble.weighed(found, asked)

    def _has_labels_of(self, linear: LinearClassifier) -> bool:
        own = self.label_names, self.is_multi_label
        return own == (linear.label_names, linear.is_multi_label)

    def _merged(self, texts: Sequence[str]) -> Probabilities:
        """Return the network's probabilities, (N, C): of each text the mean over its windows."""
        windows = self._windows(texts)
        each = self.head.answers.values(self._logits(windows), self.temperature)
        return windows.merged(each, len(texts))

    def _as_logits(self, probabilities: Probabilities) -> Probabilities:
        """Return logits (N, C) that give these probabilities."""
        inside = np.clip(probabilities, _TINY, 1 - _TINY)
        return np.log(inside) - np.log1p(-inside) if self.is_multi_label else np.log(inside)
