"""Rows for masked language modelling: the text cut end to end, without padding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs
from foretext.data.token_stream import TokenStream
from foretext.objectives.corruption import choose_masked, corrupt_masked

__all__ = ["MaskedRows", "Masking"]


@dataclass(frozen=True)
class Masking:
    """How many tokens of a row are masked, and what replaces them."""

    mask_rate: float
    max_ngram: int  # in words
    mask_id: int
    ordinary: np.ndarray  # (V,) bool, True = no special token
    word_starts: (
        np.ndarray | None
    )  # (V,) bool, True = opens a word; None: each token is masked by itself
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1)  # masked, random, as it was

    def apply(self, ids: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return corrupted ids and the masked positions, (B, T) bool, of ids (B, T)."""
        opens = None if self.word_starts is None else self.word_starts[ids]
        masked = choose_masked(self.ordinary[ids], opens, self.mask_rate, rng, self.max_ngram)
        others = np.flatnonzero(self.ordinary)
        return corrupt_masked(ids, masked, rng, self.mask_id, others, self.shares), masked

    def targets(self, ids: np.ndarray, masked: np.ndarray) -> dict[str, torch.Tensor]:
        """Return what the objective scores."""
        return {"original": torch.from_numpy(ids), "masked": torch.from_numpy(masked)}


class MaskedRows:
    """``[CLS] text [SEP]``; the text may span several documents, with `[SEP]` between them.

    As FULL-SENTENCES of RoBERTa (Liu et al. 2019, 4.2), but cut at tokens, not at sentences.
    """

    def __init__(self, stream: TokenStream, length: int, cls: int, masking: Masking) -> None:
        self.stream = stream
        self.width = min(length - 2, len(stream))
        self.cls = cls
        self.masking = masking

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.width, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Read the rows, and mask them with `rng`."""
        ids = np.empty((len(keys), self.width + 2), np.int64)  # (B, T)
        ids[:, 0], ids[:, -1] = self.cls, self.stream.separator
        ids[:, 1:-1] = self.stream.take(keys[:, None] + np.arange(self.width))
        corrupted, masked = self.masking.apply(ids, rng)
        return Batch(Inputs(torch.from_numpy(corrupted)), self.masking.targets(ids, masked))
