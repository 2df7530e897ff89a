"""A trained classifier: what labels a text has, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.blocks import map_in_order
from foretext.corpus.decoding import Form
from foretext.kernels.alias import alias_table
from foretext.kernels.fasttext_classifier import mean_rows
from foretext.kernels.huffman import huffman_paths
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.config import Loss
from foretext.tasks.fasttext.dictionary import Dictionary, Units
from foretext.tasks.fasttext.labelled_texts import blocks_of
from foretext.tasks.fasttext.rows import Rows

__all__ = ["FastTextModel", "OutputLayer", "Paths"]

NOISE_EXPONENT = 0.5  # labels are drawn by count ** this
LEAST = np.float32(1e-7)  # chance whose logarithm is taken for that of nothing


@dataclass(frozen=True, eq=False)
class FastTextModel:
    """All that prediction needs, and nothing of the training.

    V words, B buckets that were met, R rows of D numbers, O outputs. Words and buckets may share a
    row. A bucket without a row counts as a row of zeros, or not at all where `pruned`.
    """

    dictionary: Dictionary
    word_rows: NDArray[np.int32]  # (V,)
    buckets: NDArray[np.int64]  # (B,) ascending
    bucket_rows: NDArray[np.int32]  # (B,)
    rows: Rows
    outputs: NDArray[np.float32]  # (O, D)
    pruned: bool = False

    def composing(self, form: Form) -> FastTextModel:
        """Return the same for texts in any form, which are brought into that of the rows."""
        return replace(self, dictionary=self.dictionary.composing(form))

    @cached_property
    def layer(self) -> OutputLayer:
        """What the outputs mean."""
        return OutputLayer(self.dictionary.config.loss, self.dictionary.label_counts)

    def hidden(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean of the rows of each text, (N, D)."""
        return self.means(self.dictionary.units(self.dictionary.encode(texts)))

    def means(self, features: Units) -> NDArray[np.float32]:
        """Return the same for texts that are encoded already."""
        flat, numbers = self.rows.gather(self.unit_rows[features.units])
        stride = padded(self.rows.dim)
        means = aligned_zeros(len(features.starts) - 1, stride)
        mean_rows(numbers, features.starts, flat, stride, self.pruned, means)
        return means.reshape(-1, stride)[:, : self.rows.dim]

    def chances(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (N, L), the chance of each label; see `OutputLayer.chances`."""
        if len(texts) == 0:
            return np.empty((0, len(self.dictionary.labels)), np.float32)
        workers = self.dictionary.config.workers
        return np.concatenate(list(map_in_order(self._chances, blocks_of(texts), workers)))

    def _chances(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.layer.chances(self.hidden(texts), self.outputs)

    def logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return (N, L), what chances are made of; see `OutputLayer.logits`."""
        return self.layer.logits(self.hidden(texts), self.outputs)

    @cached_property
    def unit_rows(self) -> NDArray[np.int32]:
        """(V + buckets,), -1 for a bucket that has none."""
        numbers = np.full(self.dictionary.num_units, -1, np.int32)
        numbers[: len(self.word_rows)] = self.word_rows
        numbers[len(self.word_rows) + self.buckets] = self.bucket_rows
        return numbers


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
