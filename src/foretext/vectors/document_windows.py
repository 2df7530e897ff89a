"""The loss on words that doc2vec was never trained on, always over the same words and noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foretext.kernels.doc2vec import Documents
from foretext.vectors.doc2vec_config import Doc2VecConfig
from foretext.vectors.document_network import DocumentNetwork
from foretext.vectors.hashed_draws import random64
from foretext.vectors.held_out import MOST_PREDICTIONS, logistic_losses

__all__ = ["DocumentWindows", "held_out_positions"]

LOOKED_AT = 1 << 22  # tokens hashed at once


@dataclass(frozen=True)
class DocumentWindows:
    """Words with the input rows that predict each of them, drawn once."""

    words: np.ndarray  # (P,) word ids
    rows: np.ndarray  # (P, C) input rows, the document's first; -1 where there is none
    seed: int  # of noise words

    @classmethod
    def draw(cls, documents: Documents, config: Doc2VecConfig, seed: int) -> DocumentWindows:
        """Take known words that are held out, and the known words around each."""
        positions = held_out_positions(documents)
        positions = positions[np.asarray(documents.ids)[positions] > 0]
        rng = np.random.default_rng(seed)
        at = np.sort(rng.permutation(positions)[:MOST_PREDICTIONS])
        words = np.asarray(documents.ids)[at].astype(np.int64)
        pieces = np.searchsorted(documents.starts, at, side="right") - 1
        rows = documents.rows[pieces][:, None]
        if config.model == "dm":
            rows = np.hstack([rows, _around(documents, at, pieces, config, rng)])
        return cls(words, rows, seed)

    def __len__(self) -> int:
        return len(self.words)

    def loss(self, network: DocumentNetwork) -> float:
        """Return the mean loss of a prediction."""
        outputs, labels = network.layer.draw(self.words, self.seed)
        hidden = self._hidden(network)
        width = hidden.shape[1]
        matrix = network.output_rows.reshape(-1, width)
        return float(logistic_losses(hidden, matrix, outputs, labels).mean())

    def _hidden(self, network: DocumentNetwork) -> np.ndarray:
        """(P, D), or (P, C * D) with concatenation, where a missing word is the null word."""
        present = self.rows >= 0
        vectors = network.input_rows[np.maximum(self.rows, 0)]  # (P, C, D)
        if network.config.is_concatenated:
            return np.asarray(vectors.reshape(len(self), -1))
        total = (vectors * present[..., None]).sum(axis=1)
        counts = present.sum(axis=1, keepdims=True) if network.config.context == "mean" else 1
        return np.asarray(total / counts)


def held_out_positions(documents: Documents) -> np.ndarray:
    """Return the tokens that the kernel leaves out, in their order."""
    if not documents.held_below:
        return np.zeros(0, np.int64)
    found = []
    for first in range(0, len(documents.ids), LOOKED_AT):
        last = min(first + LOOKED_AT, len(documents.ids))
        numbers = np.arange(first, last, dtype=np.uint64) + np.uint64(documents.held_key)
        low = random64(numbers) & np.uint64(0xFFFFFFFF)
        found.append(first + np.flatnonzero(low < np.uint64(documents.held_below)))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _around(
    documents: Documents,
    at: np.ndarray,
    pieces: np.ndarray,
    config: Doc2VecConfig,
    rng: np.random.Generator,
) -> np.ndarray:
    """(P, 2 * window) the words around positions (P,), -1 where there is none that is known."""
    offsets = np.array([o for o in range(-config.window, config.window + 1) if o])
    spans = rng.integers(1, config.window + 1, len(at))
    if config.is_concatenated:
        spans[:] = config.window
    where = at[:, None] + offsets
    inside = (where >= documents.starts[pieces][:, None]) & (
        where < documents.starts[pieces + 1][:, None]
    )
    inside &= np.abs(offsets) <= spans[:, None]
    ids = np.asarray(documents.ids)[np.where(inside, where, 0)].astype(np.int64)
    return np.where(inside & (ids > 0), ids, -1)
