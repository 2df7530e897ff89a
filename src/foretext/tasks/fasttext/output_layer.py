"""From hidden vectors to chances of labels, by the loss that a classifier was trained with."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.alias import alias_table
from foretext.kernels.huffman import huffman_paths
from foretext.tasks.fasttext.config import Loss

__all__ = ["OutputLayer", "Paths"]

NOISE_EXPONENT = 0.5  # labels are drawn by count ** this
LEAST = np.float32(1e-7)  # chance whose logarithm is taken for that of nothing


class Paths(NamedTuple):
    """The inner nodes above each label, root first."""

    starts: np.ndarray  # (L + 1,) int64
    nodes: np.ndarray  # int32
    codes: np.ndarray  # uint8, 1 where the way goes on by the node's sigmoid


class OutputLayer:
    """What the rows of the output matrix mean.

    Args:
        loss: of the training.
        label_counts: (L,) int64, in descending order.
    """

    def __init__(self, loss: Loss, label_counts: np.ndarray) -> None:
        self.loss = loss
        self.label_counts = np.asarray(label_counts, np.int64)

    @property
    def num_outputs(self) -> int:
        """Rows: labels, or the inner nodes of their tree."""
        return len(self.label_counts) - (self.loss == "hs")

    @cached_property
    def paths(self) -> Paths:
        """Huffman's tree; it is that of the authors' program, node by node."""
        if self.loss != "hs":
            nothing = np.zeros(len(self.label_counts) + 1, np.int64)
            return Paths(nothing, np.empty(0, np.int32), np.empty(0, np.uint8))
        order = np.arange(len(self.label_counts))[::-1].copy()
        return Paths(*huffman_paths(order, self.label_counts, False))

    @cached_property
    def noise(self) -> np.ndarray:
        """(L, 2) uint32, alias table of the labels to draw."""
        if self.loss != "ns":
            return np.zeros((0, 2), np.uint32)
        table: np.ndarray = alias_table(self.label_counts.astype(np.float64) ** NOISE_EXPONENT)
        return table

    def chances(
        self, hidden: NDArray[np.float32], outputs: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return (N, L): of each label its share (softmax, hs), or its chance by itself (ns, ova).

        hidden: (N, D); outputs: (O, D).
        """
        scores = hidden @ outputs.T  # (N, O)
        if self.loss == "softmax":
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=1, keepdims=True)
            return scores
        yes = _sigmoid(scores)
        return self._along_paths(yes) if self.loss == "hs" else yes

    def logits(
        self, hidden: NDArray[np.float32], outputs: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return (N, L): log-odds of labels by themselves (ns, ova), else what softmax is of."""
        scores = (hidden @ outputs.T).astype(np.float64)  # (N, O)
        if self.loss != "hs":
            return scores
        steps = np.where(self.paths.codes == 1, 1.0, -1.0) * scores[:, self.paths.nodes]
        logs = -np.logaddexp(0.0, -steps)  # of the sigmoid
        sums: NDArray[np.float64] = np.add.reduceat(logs, self.paths.starts[:-1], axis=1)
        return sums

    def losses(
        self, chances: NDArray[np.float32], wanted: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return (N,), -log of the chance of what is wanted, (N, L); 1 / n of n labels each."""
        if self.loss in ("ns", "ova"):
            right = np.where(wanted, chances, 1 - chances)
            return -np.log(np.maximum(right, LEAST)).sum(axis=1)
        logs = np.where(wanted, -np.log(np.maximum(chances, LEAST)), 0)
        return (logs.sum(axis=1) / np.maximum(wanted.sum(axis=1), 1)).astype(np.float32)

    def _along_paths(self, yes: NDArray[np.float32]) -> NDArray[np.float32]:
        steps = yes[:, self.paths.nodes]  # (N, all steps of all paths)
        steps = np.where(self.paths.codes == 1, steps, 1 - steps)
        products: NDArray[np.float32] = np.multiply.reduceat(steps, self.paths.starts[:-1], axis=1)
        return products


def _sigmoid(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    half = np.float32(0.5)
    chances: NDArray[np.float32] = half * np.tanh(half * scores) + half
    return chances
