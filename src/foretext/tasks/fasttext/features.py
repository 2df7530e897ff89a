"""The texts of a training as rows of weights, in the order in which they are learned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.fasttext_classifier import Documents
from foretext.kernels.fasttext_features import document_entries, unit_signatures
from foretext.tasks.fasttext.dictionary import Dictionary, Units, WordIds
from foretext.tasks.fasttext.labels import NumberedLabels
from foretext.tasks.fasttext.model import FastTextModel

__all__ = ["TrainingFeatures"]


class TrainingFeatures(NamedTuple):
    """What the kernel learns from, and which row each unit has."""

    documents: Documents
    unit_rows: NDArray[np.int32]  # (V + buckets,), -1 for a bucket that never occurs
    members: NDArray[np.int32]  # (R,), units that share each row

    @classmethod
    def build(
        cls,
        dictionary: Dictionary,
        tokens: WordIds,
        labels: NumberedLabels,
        apart: NDArray[np.int64],
        base: FastTextModel | None = None,
    ) -> TrainingFeatures:
        """Group the units of the texts, and shuffle these by the seed of the settings.

        Args:
            dictionary: V words and the buckets.
            tokens: the texts, encoded.
            labels: theirs.
            apart: words that share their row with no other unit.
            base: a model to go on from, whose rows stay apart as they are; units that it has no
                row for are left out where it is pruned.
        """
        features = dictionary.units(tokens)
        signatures = unit_signatures(*features, dictionary.num_units)
        signatures[apart] = _numbers(len(apart))
        if base is not None:
            known = base.unit_rows
            features = _without_missing(features, known) if base.pruned else features
            signatures[known >= 0] = _numbers(len(base.rows))[known[known >= 0]]
        config = dictionary.config
        order = np.random.default_rng(config.seed).permutation(len(features.starts) - 1)
        unit_rows = np.full(dictionary.num_units, -1, np.int32)
        members = np.zeros(dictionary.num_units, np.int32)
        rows, times, starts, num_rows = document_entries(
            *features, signatures, order, unit_rows, members
        )
        unmet = unit_rows < 0
        unmet[len(dictionary) :] &= base is not None and base.unit_rows[len(dictionary) :] >= 0
        members = _with_own_rows(unit_rows, members[:num_rows], np.flatnonzero(unmet))
        labels = labels.taken(order)
        reads = times.astype(np.float32)
        documents = Documents(
            starts=starts,
            rows=rows,
            reads=reads,
            writes=reads / members.astype(np.float32)[rows],
            num_units=np.diff(features.starts)[order].astype(np.float32),
            label_starts=labels.starts,
            labels=labels.ids,
            token_starts=np.insert(np.cumsum(np.diff(tokens.starts)[order]), 0, 0),
        )
        return cls(documents, unit_rows, members)


def _numbers(size: int) -> NDArray[np.uint64]:
    """Random numbers that no signature of documents will equal."""
    return np.random.default_rng(size).integers(1, 2**64 - 1, size, np.uint64)


def _without_missing(features: Units, unit_rows: NDArray[np.int32]) -> Units:
    kept = unit_rows[features.units] >= 0
    before = np.insert(np.cumsum(kept), 0, 0)
    return Units(features.units[kept], before[features.starts])


def _with_own_rows(
    unit_rows: NDArray[np.int32], members: NDArray[np.int32], unmet: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Give a row of its own to each unit of `unmet`, which no text has; returns all members."""
    unit_rows[unmet] = len(members) + np.arange(len(unmet))
    return np.concatenate([members, np.ones(len(unmet), np.int32)])
