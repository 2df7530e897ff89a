"""The loss on text that was never trained on, always over the same windows and noise words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foretext.data.token_file import TokenFile

__all__ = ["HeldOutWindows", "logistic_losses", "softmax_losses"]

MOST_PREDICTIONS = 4_000
CHUNK = 512  # predictions scored at a time, to bound memory


@dataclass(frozen=True)
class HeldOutWindows:
    """Centres with their context words, drawn once."""

    centres: np.ndarray  # (P,) word ids
    contexts: np.ndarray  # (P, C) word ids, -1 where there is none

    @classmethod
    def draw(
        cls,
        tokens: TokenFile,
        keep: np.ndarray,  # (V,) chance to survive sub-sampling
        window: int,
        seed: int,
    ) -> HeldOutWindows:
        """Sub-sample the held-out text as training does, and take windows of random width."""
        rng = np.random.default_rng(seed)
        ids = np.asarray(tokens.ids, np.int64)
        sentences = np.repeat(
            np.arange(len(tokens.sentence_starts) - 1), np.diff(tokens.sentence_starts)
        )
        kept = rng.random(len(ids)) < keep[ids]
        ids, sentences = ids[kept], sentences[kept]
        offsets = np.array([o for o in range(-window, window + 1) if o])
        at = rng.permutation(len(ids))[: 2 * MOST_PREDICTIONS]
        spans = rng.integers(1, window + 1, len(at))
        where = at[:, None] + offsets
        inside = (where >= 0) & (where < len(ids)) & (np.abs(offsets) <= spans[:, None])
        where = np.where(inside, where, 0)
        inside &= sentences[where] == sentences[at][:, None] if len(ids) else inside
        some = inside.any(axis=1)
        contexts = np.where(inside, ids[where] if len(ids) else where, -1)[some][:MOST_PREDICTIONS]
        return cls(ids[at][some][:MOST_PREDICTIONS], contexts)

    def __len__(self) -> int:
        return len(self.centres)

    def pairs(self) -> HeldOutWindows:
        """One prediction for each context word, as skip-gram makes them."""
        row, column = np.nonzero(self.contexts >= 0)
        row, column = row[:MOST_PREDICTIONS], column[:MOST_PREDICTIONS]
        return HeldOutWindows(self.centres[row], self.contexts[row, column][:, None])

    def hidden(self, inputs: np.ndarray, mean: bool) -> np.ndarray:
        """The mean or the sum of each window's context vectors: (P, D)."""
        present = self.contexts >= 0
        total = (inputs[np.maximum(self.contexts, 0)] * present[..., None]).sum(axis=1)
        counts = present.sum(axis=1, keepdims=True) if mean else 1
        return np.asarray(total / counts)


def logistic_losses(
    hidden: np.ndarray,  # (P, D)
    outputs: np.ndarray,  # (rows, D)
    rows: np.ndarray,  # (P, N), -1 where a path is shorter
    labels: np.ndarray,  # (P, N) bool
) -> np.ndarray:
    """Return each prediction's summed -log sigmoid(+-score): (P,)."""
    losses = np.empty(len(hidden))
    for at in range(0, len(hidden), CHUNK):
        part = slice(at, at + CHUNK)
        with np.errstate(all="ignore"):  # a diverged training shows in its loss
            scores = (outputs[np.maximum(rows[part], 0)] @ hidden[part][:, :, None])[:, :, 0]
            terms = np.logaddexp(0.0, np.where(labels[part], -scores, scores))
        losses[part] = (terms * (rows[part] >= 0)).sum(axis=1)
    return losses


def softmax_losses(hidden: np.ndarray, outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return each prediction's -log softmax at its target: (P,)."""
    losses = np.empty(len(hidden))
    for at in range(0, len(hidden), CHUNK):
        part = slice(at, at + CHUNK)
        scores = hidden[part] @ outputs.T  # (chunk, V)
        largest = scores.max(axis=1)
        normaliser = largest + np.log(np.exp(scores - largest[:, None]).sum(axis=1))
        losses[part] = normaliser - scores[np.arange(len(scores)), targets[part]]
    return losses
