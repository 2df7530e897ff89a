"""A trained classifier: what labels a text has, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.blocks import map_in_order
from foretext.corpus.decoding import Form
from foretext.kernels.fasttext_classifier import mean_rows
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.dictionary import Dictionary, Units
from foretext.tasks.fasttext.interned import blocks_of
from foretext.tasks.fasttext.output_layer import OutputLayer
from foretext.tasks.fasttext.rows import Rows

__all__ = ["FastTextModel"]


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
