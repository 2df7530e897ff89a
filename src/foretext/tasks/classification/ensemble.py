"""The answers of a network and of a linear classifier as one: their errors differ.

Probabilities are multiplied, each to the power of a weight that held-out rows decide: a logarithmic
opinion pool (Genest & Zidek 1986, section 3; as weighted experts Heskes 1998, "Selecting Weighting
Factors in Logarithmic Opinion Pools"). As one number sharpens all, the weights calibrate as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledRow, LabelledText
from foretext.metrics import sigmoid, softmax
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.explanation import Weighed, WeighRequest

__all__ = ["Ensemble", "Weights", "fit_weights", "fitted_weights"]

Logits = NDArray[np.float64]


class Weights(NamedTuple):
    """Exponents of the probabilities of both, 0 or more."""

    network: float
    linear: float


@dataclass(frozen=True)
class Ensemble:
    """A linear classifier beside a network, and the weights of both."""

    linear: LinearClassifier
    weights: Weights

    @classmethod
    def fit(
        cls, linear: LinearClassifier, network_logits: Logits, rows: Sequence[LabelledText]
    ) -> Ensemble:
        """Find the weights under which the labels of held-out rows are most likely.

        Args:
            linear: with the same labels in the same order as the network.
            network_logits: (N, C) of the rows.
            rows: that neither of the two was trained on.

        Raises:
            CorpusError: no row has a label that is known.
        """
        both = np.stack([network_logits, linear.logits([row.text for row in rows])])
        labels = linear.label_names
        return cls(linear, fitted_weights(labels, both, rows, linear.is_multi_label))

    def probabilities(self, network_logits: Logits, texts: Sequence[str]) -> Logits:
        """Return (N, C) of both, from the network's logits (N, C) of the texts."""
        own, other = self.weights
        logits = own * network_logits + other * self.linear.logits(texts)
        return sigmoid(logits) if self.linear.is_multi_label else softmax(logits)

    def weighed(self, network: Sequence[Weighed], request: WeighRequest) -> list[Weighed]:
        """Return the words as both weigh them together, from the network's weights."""
        own, other = self.weights
        found = []
        for each, texts, places in zip(network, request.inputs, request.places, strict=True):
            [linear] = self.linear.weigh(WeighRequest([texts], [places], each.label), "linear")
            found.append(
                each._replace(
                    value=own * each.value + other * linear.value,
                    base=own * each.base + other * linear.base,
                    weights=own * each.weights + other * linear.weights,
                )
            )
        return found


def fitted_weights(
    labels: Sequence[str], both: Logits, rows: Sequence[LabelledRow], is_multi_label: bool
) -> Weights:
    """Find the weights under which the labels of held-out rows are most likely.

    Args:
        labels: C.
        both: (2, N, C) logits of a network, and of a linear classifier.
        rows: N that neither of the two was trained on.
        is_multi_label: whether a row may have any number of labels.

    Raises:
        CorpusError: no row has a label that is known.
    """
    places = {label: place for place, label in enumerate(labels)}
    known = [i for i, row in enumerate(rows) if row.labels and set(row.labels) <= set(places)]
    if not known:
        raise CorpusError(
            "No held-out row has a label that was learned; give rows with such labels."
        )
    both = both[:, known]
    if is_multi_label:
        own = [[label in rows[i].labels for label in labels] for i in known]
        both = np.stack([np.zeros_like(both), both], -1).reshape(2, -1, 2)  # (2, N * C, 2)
        gold = np.array(own, np.int64).ravel()
    else:
        gold = np.array([places[rows[i].labels[0]] for i in known])
    return Weights(*fit_weights(both, gold).tolist())


def fit_weights(logits: Logits, gold: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return weights (M,) of models, 0 or more, under which right classes are most likely.

    The negative log-likelihood of softmax(sum of weights times logits) is convex in the weights.

    Args:
        logits: (M, N, C) of M models, for N texts.
        gold: (N,) the right class of each, from 0.
    """
    from scipy.optimize import minimize

    num_models, num_texts, _ = logits.shape
    right = logits[:, np.arange(num_texts), gold]  # (M, N)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        sums = np.tensordot(weights, logits, 1)  # (N, C)
        probabilities = softmax(sums)
        chosen = probabilities[np.arange(num_texts), gold]
        expected = (probabilities * logits).sum(-1)  # (M, N)
        gradient: NDArray[np.float64] = (expected - right).mean(1)
        return float(-np.log(np.maximum(chosen, 1e-300)).mean()), gradient

    found: Any = minimize(
        loss,
        np.full(num_models, 1 / num_models),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * num_models,
    )
    weights: NDArray[np.float64] = found.x
    return weights
