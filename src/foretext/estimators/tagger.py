"""Taggers of tokens by networks, as estimators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.parameters import estimator_tags, keeping
from foretext.data.rows.given import given_tagged
from foretext.estimators.task_estimator import TaskEstimator

__all__ = ["Tagger"]


class Tagger(TaskEstimator):
    """A tag for each token of a sentence, which is a list of tokens, by a network.

    Args:
        base: the model to start from, as in `foretext.finetune`: "lstm" and other names of
            networks, a run, a model folder, a vector file, or one of these opened.
        budget: wall-clock time of a fit, "10m", in place of epochs.
        epochs, learning_rate, seed: of the training; None: the defaults of the base.
        settings: all others, by section, {"backbone": {"dim": 64}}.
        output: a folder to keep the run in; None: nothing is kept but the model.
        overwrite: replace the run in `output`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    >>> Tagger("lstm", epochs=3)
    Tagger(epochs=3)
    """

    task_name: ClassVar[str] = "tagging"

    @keeping
    def __init__(
        self,
        base: Any = "lstm",
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
    def fit(self, sentences: Any, tags: Any, *, valid: Any = None) -> Self:
        """Learn from N lists of tokens with a list of tags each.

        Args:
            sentences: to learn from.
            tags: of each sentence, a tag for each token.
            valid: held-out rows (X, y), which choose the weights to keep; None: some of the rows.

        Raises:
            ForetextError: sentences, tags, base or settings are wrong; the message says why.
        """
        return self.learn(given_tagged(sentences, tags), valid=valid)

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) the tags."""
        classes: NDArray[np.str_] = self.model_.classes_
        return classes

    @checked_arguments
    def predict(self, sentences: Any) -> Any:
        """Return the tag of each token of each sentence, a list of N lists.

        Raises:
            CorpusError: something is neither a text nor tokens.
            SettingError: nothing was learned yet.
        """
        return self.model_.predict(sentences)

    @checked_arguments
    def predict_proba(self, sentences: Any) -> Any:
        """Return (T, C) of each sentence, a row for each of its T tokens, in a list.

        Raises:
            CorpusError: something is neither a text nor tokens.
            SettingError: nothing was learned yet.
        """
        return self.model_.predict_proba(sentences)

    @checked_arguments
    def score(self, sentences: Any, tags: Any) -> float:
        """Return F1 of entities; without entities in the tags, the share of right tags.

        Args:
            sentences: N lists of tokens.
            tags: a list of tags for each.

        Raises:
            CorpusError: something is no list of tokens or of tags, or they do not go together.
        """
        figures = self.model_.evaluate(given_tagged(sentences, tags))
        return float(figures[self.model_.judged_by])

    def __sklearn_tags__(self) -> Any:
        return estimator_tags(None)
