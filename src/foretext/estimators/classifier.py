"""Classifiers of texts by networks, as estimators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.errors import GivenError
from foretext.base.parameters import estimator_tags, keeping
from foretext.data.rows.given import given_label_sets, given_texts
from foretext.estimators.task_estimator import TaskEstimator
from foretext.tasks.classification.labeller import check_same_number

__all__ = ["Classifier"]


class Classifier(TaskEstimator):
    """Texts into classes by a network, or by any other base of `foretext.finetune`.

    Args:
        base: the model to start from, as in `foretext.finetune`: "textcnn" and other names of
            networks, a run, a model folder, a vector file, or one of these opened.
        budget: wall-clock time of a fit, "10m", in place of epochs.
        epochs, learning_rate, seed: of the training; None: the defaults of the base.
        settings: all others, by section, {"backbone": {"num_maps": 50}}.
        output: a folder to keep the run in; None: nothing is kept but the model.
        overwrite: replace the run in `output`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    >>> Classifier("gru", epochs=3)
    Classifier(base='gru', epochs=3)
    """

    task_name: ClassVar[str] = "classification"

    @keeping
    def __init__(
        self,
        base: Any = "textcnn",
        *,
        budget: str | float | None = None,
        epochs: float | None = None,
        learning_rate: float | None = None,
        seed: int | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        output: str | Path | None = None,
        overwrite: bool = False,
        quiet: bool | None = None,
    ) -> None: ...

    @checked_arguments
    def fit(self, texts: Any, labels: Any, *, valid: Any = None, unlabelled: Any = None) -> Self:
        """Learn from N texts with one label each, or with any number of them.

        Labels are texts, whole numbers or booleans, and come back as they came.

        Args:
            texts: to learn from.
            labels: of each text.
            valid: held-out rows (X, y), which choose the weights to keep; None: some of the rows.
            unlabelled: texts without labels, as in `foretext.finetune`.

        Raises:
            ForetextError: texts, labels, base or settings are wrong; the message says why.
        """
        found, sets = given_texts(texts), given_label_sets(labels)
        check_same_number(found, sets)
        if len({label for own in sets for label in own}) < 2:
            raise GivenError("The texts have only one class; give texts of two classes at least.")
        values = [[label.value for label in own] for own in sets]
        are_single = all(len(own) == 1 for own in values)
        right = [own[0] for own in values] if are_single else values
        return self.learn((found, right), valid=valid, unlabelled=unlabelled)

    @property
    def classes_(self) -> NDArray[Any]:
        """(C,) the labels as they came, sorted."""
        classes: NDArray[Any] = self.model_.classes_
        return classes

    @checked_arguments
    def predict(self, texts: Any) -> Any:
        """Return the most probable label of each text, (N,); of several, those above 0.5.

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        return self.model_.predict(texts)

    @checked_arguments
    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return (N, C) in the order of `classes_`; rows sum to 1 unless texts have several labels.

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        found: NDArray[np.float64] = self.model_.predict_proba(texts)
        return found

    @checked_arguments
    def predict_log_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`."""
        found: NDArray[np.float64] = self.model_.predict_log_proba(texts)
        return found

    @checked_arguments
    def decision_function(self, texts: Any) -> Any:
        """Return scores of labels (N, C); of two labels (N,), where above 0 is the second."""
        return self.model_.decision_function(texts)

    @checked_arguments
    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose labels are predicted right.

        Args:
            texts: N texts.
            labels: their labels, as `fit` takes them.
            sample_weight: how much each text counts; None: all the same.

        Raises:
            CorpusError: something is no text or no label, or there are not as many of both.
        """
        return float(self.model_.score(texts, labels, sample_weight))

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("classifier")
