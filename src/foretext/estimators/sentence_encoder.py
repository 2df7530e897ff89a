"""Encoders of sentences by networks, as estimators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.counted import counted
from foretext.base.errors import GivenError
from foretext.base.parameters import estimator_tags, keeping
from foretext.corpus.texts import present_texts
from foretext.data.rows.given import given_elements, given_pairs
from foretext.estimators.output import ChosenOutput, in_container
from foretext.estimators.task_estimator import TaskEstimator

__all__ = ["SentenceEncoder"]


class SentenceEncoder(TaskEstimator, ChosenOutput):
    """Texts to vectors by a network: a transformer of scikit-learn; `score` takes pairs.

    Args:
        base: the model to start from, as in `foretext.finetune`: a run, a model folder, a vector
            file, one of these opened, or "transformer" and other names of networks.
        budget: wall-clock time of a fit, "10m", in place of epochs.
        epochs, learning_rate, seed: of the training; None: the defaults of the base.
        settings: all others, by section, {"backbone": {"dim": 64}}.
        output: a folder to keep the run in; None: nothing is kept but the model.
        overwrite: replace the run in `output`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    >>> SentenceEncoder("runs/bert", epochs=1)
    SentenceEncoder(base='runs/bert', epochs=1)
    """

    task_name: ClassVar[str] = "sentence_vectors"

    @keeping
    def __init__(
        self,
        base: Any = "transformer",
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
    def fit(self, texts: Any, scores: Any = None, *, valid: Any = None) -> Self:
        """Learn from texts; from pairs that mean the same, or triples; or from pairs and scores.

        Args:
            texts: N texts, pairs or triples.
            scores: how alike the texts of each pair are; None: pairs have none. Single texts and
                triples ignore it, since pipelines of scikit-learn pass labels.
            valid: held-out rows, which choose the weights to keep; None: some of the rows.

        Raises:
            ForetextError: texts, scores, base or settings are wrong; the message says why.
        """
        found = given_elements(present_texts(texts), "texts or pairs")
        if scores is not None and found and _is_pair(found[0]):
            return self.learn(_scored(found, scores), valid=valid)
        return self.learn(found, valid=valid)

    @checked_arguments
    @in_container
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return one vector a text, (N, D).

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        vectors: NDArray[np.float32] = self.model_.embed(present_texts(texts))
        return vectors

    @checked_arguments
    def fit_transform(self, texts: Any, y: object = None) -> NDArray[np.float32]:
        """Learn from N texts, and return the vector of each, (N, D)."""
        held = given_elements(texts, "texts")
        self.fit(held)
        return self.transform(texts if hasattr(texts, "index") else held)  # foreign

    @checked_arguments
    def predict(self, pairs: Any) -> NDArray[np.float64]:
        """Return how alike the two texts of each pair are, (N,) cosines.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: nothing was learned yet.
        """
        found = given_pairs(pairs)
        firsts, seconds = ([pair[side] for pair in found] for side in (0, 1))
        if not found:
            return np.zeros(0)
        vectors = [self.model_.embed(each, normalize=True) for each in (firsts, seconds)]
        cosines: NDArray[np.float64] = np.sum(np.multiply(*vectors), axis=1, dtype=np.float64)
        return cosines

    @checked_arguments
    def score(self, pairs: Any, scores: Any) -> float:
        """Return the rank correlation of cosines with the scores of pairs.

        Args:
            pairs: N pairs of texts.
            scores: how alike they are.

        Raises:
            CorpusError: something is no pair or no score, or there are not as many of both.
        """
        return float(self.model_.evaluate(_scored(given_pairs(pairs), scores))["spearman"])

    @checked_arguments
    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return a name for each number of a vector, (D,)."""
        size = self.model_.vector_size
        return np.array([f"sentenceencoder{number}" for number in range(size)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("transformer")


def _is_pair(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2


def _scored(pairs: Any, scores: Any) -> list[tuple[str, str, Any]]:
    """Return pairs with their scores.

    Raises:
        GivenError: there are not as many of both.
    """
    found, right = given_pairs(pairs), given_elements(scores, "scores")
    if len(found) != len(right):
        raise GivenError(
            f"{counted(len(found), 'pair')} and {counted(len(right), 'score')} do not go together; "
            "give a score for each pair."
        )
    return [(*pair, score) for pair, score in zip(found, right, strict=True)]
