"""Rows for masked language modelling: the text cut end to end, without padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs
from foretext.data.examples import ExamplesByRow
from foretext.data.row_draws import Draws, DrawsAmong, RowDraws, whole_numbers
from foretext.data.token_file import ENTITY, WORD
from foretext.data.token_stream import TokenStream
from foretext.objectives.corruption import choose_masked, corrupt_masked

__all__ = ["BY_EXAMPLE", "Masked", "MaskedRows", "Masking", "UnitKind"]

UnitKind = Literal["token", "word", "phrase", "entity"]
BY_EXAMPLE = frozenset({"unit"})  # targets with one number a row
BITS = {"word": WORD, "phrase": WORD, "entity": ENTITY}


class Masked(NamedTuple):
    """Rows with masks."""

    ids: np.ndarray  # (B, T), corrupted
    chosen: np.ndarray  # (B, T) bool, the masked positions
    kinds: np.ndarray | None = None  # (B,), which of several kinds of units a row hides


@dataclass(frozen=True)
class Masking:
    """How many tokens of a row are masked, which ones together, and what replaces them."""

    mask_rate: float
    max_ngram: int  # words of a phrase
    mask_id: int
    ordinary: np.ndarray  # (V,) bool, True = no special token
    word_starts: (
        np.ndarray | None
    )  # (V,) bool, True = opens a word; None: each token is masked by itself
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1)  # masked, random, as it was
    kinds: tuple[UnitKind, ...] = ("phrase",)  # each row draws one; a phrase of one word is a word

    def apply(self, ids: np.ndarray, draws: Draws, units: np.ndarray | None = None) -> Masked:
        """Return ids (B, T) with masks, and which positions these are.

        Where the text has `units` (B, T), these say what a token begins, and not its id.
        """
        drawn = None
        if len(self.kinds) == 1:
            chosen = self._chosen(ids, draws, units, self.kinds[0])
        else:
            chosen, drawn = self._mixed(ids, draws, units)
        others = np.flatnonzero(self.ordinary)
        corrupted = corrupt_masked(ids, chosen, draws, self.mask_id, others, self.shares)
        return Masked(corrupted, chosen, drawn)

    def targets(self, ids: np.ndarray, masked: Masked) -> dict[str, torch.Tensor]:
        """Return what the objective scores; `unit`, (B,) int8, is for people alone.

        It has the number of the kind of units that a row hides, from 1; 0: the row has no mask.
        """
        targets = {"original": torch.from_numpy(ids), "masked": torch.from_numpy(masked.chosen)}
        if masked.kinds is not None:
            units = np.where(masked.chosen.any(1), masked.kinds + 1, 0)
            targets["unit"] = torch.from_numpy(units.astype(np.int8))
        return targets

    def _mixed(
        self, ids: np.ndarray, draws: Draws, units: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a kind for each row, and mask the rows of each kind; return the kinds, too."""
        masked = np.zeros(ids.shape, np.bool_)
        drawn = whole_numbers(draws.random((len(ids), 1))[:, 0], len(self.kinds))
        for number, kind in enumerate(self.kinds):
            rows = drawn == number  # none, maybe, but numbers are drawn as if there were some
            of_rows = None if units is None else units[rows]
            masked[rows] = self._chosen(ids[rows], DrawsAmong(draws, rows), of_rows, kind)
        return masked, drawn

    def _chosen(
        self,
        ids: np.ndarray,
        draws: Draws,
        units: np.ndarray | None,
        kind: UnitKind,
    ) -> np.ndarray:
        """Draw units of one kind, (B, T) bool."""
        opens = None
        if self.word_starts is not None and kind != "token":
            opens = self.word_starts[ids] if units is None else units & BITS[kind] > 0
        max_ngram = self.max_ngram if kind == "phrase" else 1
        return choose_masked(self.ordinary[ids], opens, self.mask_rate, draws, max_ngram)


class MaskedRows(ExamplesByRow):
    """``[CLS] text [SEP]``; the text may span several documents, with `[SEP]` between them.

    As FULL-SENTENCES of RoBERTa (Liu et al. 2019, 4.2), but cut at tokens, not at sentences.
    """

    drawing = 2

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

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows, and mask them with `draws`."""
        ids = np.empty((len(keys), self.width + 2), np.int64)  # (B, T)
        ids[:, 0], ids[:, -1] = self.cls, self.stream.separator
        places = keys[:, None] + np.arange(self.width)
        ids[:, 1:-1] = self.stream.take(places)
        units = self.stream.take_units(places)
        if units is not None:
            units = np.pad(units, ((0, 0), (1, 1)))  # special tokens are never masked
        masked = self.masking.apply(ids, draws, units)
        targets = self.masking.targets(ids, masked)
        by_example = BY_EXAMPLE & targets.keys()
        return Batch(Inputs(torch.from_numpy(masked.ids)), targets, by_example=by_example)
