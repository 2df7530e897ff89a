"""fastText's classifier in plain Python and numpy, float64, a row for every unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.kernels.word2vec_twin import sigmoid

__all__ = ["ClassifierTwin"]


@dataclass
class ClassifierTwin:
    inputs: np.ndarray  # (U, D)
    outputs: np.ndarray  # (O, D)
    loss: str
    num_labels: int
    paths: Sequence[tuple[np.ndarray, np.ndarray]] = ()  # nodes and codes of each label
    losses: list[float] = field(default_factory=list)

    def learn(self, units: Sequence[int], labels: Sequence[int], rate: float) -> None:
        """One document; of several labels the first is learned, but for one-vs-all."""
        hidden = self.inputs[list(units)].mean(axis=0)
        rows, targets = self.choose(labels)
        scores = self.outputs[rows] @ hidden
        if self.loss == "softmax":
            chances = np.exp(scores) / np.exp(scores).sum()
            self.losses.append(-np.log(chances[labels[0]]))
        else:
            chances = np.array([sigmoid(score) for score in scores])
            right = np.where(targets == 1, chances, 1 - chances)
            self.losses.append(-np.log(right).sum())
        steps = rate * (targets - chances)
        back = steps @ self.outputs[rows]
        self.outputs[rows] += steps[:, None] * hidden
        np.add.at(self.inputs, list(units), back / len(units))  # once for each occurrence

    def choose(self, labels: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        if self.loss == "hs":
            nodes, codes = self.paths[labels[0]]
            return np.asarray(nodes), np.asarray(codes, float)
        targets = np.zeros(self.num_labels)
        targets[list(labels) if self.loss == "ova" else labels[0]] = 1
        return np.arange(self.num_labels), targets
