"""What a model gets at a step: inputs, which a backbone may see, and targets, which it may not.

The letters of every shape:

    B  rows of a batch           T  positions of a row
    D  width of the model        H  attention heads
    S  positions that are looked at (keys)
    V  vocabulary                C  classes or tags           K  characters of a word
    M  target positions, over the whole batch                 U  words beyond the vocabulary

S is T, unless a cache holds more, another text is looked at, or some positions are queries only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

__all__ = ["Batch", "Inputs", "Needed", "Visibility"]

# What a position may look at: all of its row; itself and what is left of it; what a matrix says.
# "split": half of the state has looked at the left of its position, half at the right.
Visibility = Literal["full", "causal", "matrix", "split"]
Needed = Literal["all", "first", "queries"]
Kept = slice | Tensor  # positions of a row: the first ones, or indices

OF_POSITIONS = ("ids", "token_mask", "segments", "characters", "positions")  # (B, T, ...)
OF_WORDS = ("word_columns", "word_values", "word_logits")  # (B, ...)
TENSORS = (*OF_POSITIONS, *OF_WORDS, "visible", "memory", "values")


@dataclass(frozen=True)
class Inputs:
    """All that a backbone may see."""

    ids: Tensor  # (B, T) int64
    token_mask: Tensor | None = None  # (B, T) bool, True = a real token; None: all are
    visibility: Visibility = "full"  # what a position may look at
    visible: Tensor | None = None  # (B, T, S) bool, [b, i, j] = i may look at j; for "matrix"
    # (B, T) int64, 0 = first text, 1 = second; with shared tokens 2 and 3 = the same, of a token
    # that occurs in both texts; of one text the kinds of its tokens; None: all 0
    segments: Tensor | None = None
    characters: Tensor | None = None  # (B, T, K) int64, of the words; 0 = none
    # (U, K) uint8, bytes of the words whose ids follow the vocabulary (`foretext.tokenizers.
    # spelling`); None: all ids are of the vocabulary
    spelling: Tensor | None = None
    needed: Needed = "all"  # positions whose states are wanted; a backbone may give more
    values: Tensor | None = None  # (B, ...) float, what an autoencoder sees; ids then name the rows
    positions: Tensor | None = None  # (B, T) int64, where each token stands; None: 0, 1, 2, ...
    num_queries: int = 0  # the last positions of a row are looked at by none: S = T - num_queries
    source: Inputs | None = None  # B rows of another text, which an encoder reads
    memory: Tensor | None = None  # (B, S, D), the encoder's states of the source, if known already
    carried: tuple[Tensor, ...] = ()  # (B, ...) each, `States.carried` of the rows so far
    # What a head reads of the words of a text beside its states (`foretext.heads.word_logits`)
    word_columns: Tensor | None = None  # (B, W) int64, which features a text has
    word_values: Tensor | None = None  # (B, W) float32, of these; 0 where a text has fewer
    word_logits: Tensor | None = None  # (B, C) float32, what follows from them, if known already

    def to(self, device: torch.device) -> Inputs:
        """Return the same on a device."""
        moved: dict[str, Any] = {name: _moved(part, device) for name, part in self._parts().items()}
        if self.spelling is not None:
            moved["spelling"] = _moved(self.spelling, device)
        if self.source is not None:
            moved["source"] = self.source.to(device)
        carried = tuple(_moved(state, device) for state in self.carried)
        return replace(self, carried=carried, **moved)

    @property
    def num_tokens(self) -> int:
        """Real tokens, those of the source included; queries are none."""
        keys = slice(self.ids.shape[1] - self.num_queries)
        mask = self.token_mask
        own = self.ids[:, keys].numel() if mask is None else int(mask[:, keys].sum())
        return own + (0 if self.source is None else self.source.num_tokens)

    def rows(self, start: int, stop: int) -> Inputs:
        """Return some of the rows, without the positions that are padding in all of them.

        Args:
            start: the first row.
            stop: the row after the last one.
        """
        parts = {name: part[start:stop] for name, part in self._parts().items()}
        parts["carried"] = tuple(state[start:stop] for state in self.carried)
        if self.source is not None:
            parts["source"] = self.source.rows(start, stop)
            if self.memory is not None:
                parts["memory"] = parts["memory"][:, self.source.kept(start, stop)]
        if self.token_mask is None:
            return replace(self, **parts)
        kept = keys = self.kept(start, stop)
        if isinstance(kept, Tensor):
            is_key = kept < self.ids.shape[1] - self.num_queries
            keys, parts["num_queries"] = kept[is_key], int((~is_key).sum())
        for name in parts.keys() & set(OF_POSITIONS):
            parts[name] = parts[name][:, kept]
        if self.visible is not None:
            parts["visible"] = parts["visible"][:, kept][:, :, keys]
        if bool(parts["token_mask"].all()):
            parts["token_mask"] = None
        return replace(self, **parts)

    def cut(self, num: int) -> Inputs:
        """Return `num` short rows in place of each row; see `Batch.cut`."""
        parts = self._parts()
        assert parts.keys() <= {*OF_POSITIONS} - {"positions"}, sorted(parts)
        short: dict[str, Any] = {name: _cut(part, num) for name, part in parts.items()}
        return replace(self, **short)

    def every(self, first: int, step: int) -> Inputs:
        """Return each `step`-th row from `first` on; padding stays.

        Args:
            first: the first row.
            step: rows from one to the next.
        """
        parts = {name: part[first::step] for name, part in self._parts().items()}
        if self.source is not None:
            parts["source"] = self.source.every(first, step)
        return replace(self, carried=tuple(each[first::step] for each in self.carried), **parts)

    def kept(self, start: int, stop: int) -> Kept:
        """Return the positions that are not padding in all of these rows.

        Args:
            start: the first row.
            stop: the row after the last one.
        """
        if self.token_mask is None:
            return slice(None)
        mask = self.token_mask[start:stop]
        if self.num_queries:  # padding stands behind the keys, and behind the queries
            return mask.any(0).nonzero()[:, 0]
        return slice(int(mask.sum(1).max()))

    def words_of(self, rows: Tensor) -> dict[str, Any]:
        """Return what is known of the words of some rows, by name."""
        parts = self._parts()
        return {name: parts[name][rows] for name in OF_WORDS if name in parts}

    def _parts(self) -> dict[str, Any]:
        return {name: part for name in TENSORS if (part := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Batch:
    """Inputs, and the right answers about them."""

    inputs: Inputs  # B rows
    targets: Mapping[str, Tensor] = field(default_factory=dict)  # (B / group, ...) each
    group: int = 1  # rows that make one example together, such as the two texts of a pair
    by_example: frozenset[str] = frozenset()  # targets that are none of positions, in any shape
    continues: bool = False  # whether each row goes on where the same row of the batch before ended
    keys: np.ndarray | None = None  # (B / group,), which examples these are, where that is known

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.inputs.ids) // self.group

    def to(self, device: torch.device) -> Batch:
        """Return the same on a device."""
        targets = {name: _moved(target, device) for name, target in self.targets.items()}
        return replace(self, inputs=self.inputs.to(device), targets=targets)

    def cut(self, num: int) -> Batch:
        """Return a batch with `num` short rows in place of each row, in the order of the text.

        A tensor of positions, (B, T, ...), becomes (B * num, T / num, ...); a target by example is
        that of each of its short rows. Where T is no multiple of `num`, rows stay whole.
        """
        if num == 1 or self.inputs.ids.shape[1] % num:
            return self
        assert self.group == 1, f"rows of groups of {self.group}"
        targets = {
            name: target.repeat_interleave(num, 0) if name in self.by_example else _cut(target, num)
            for name, target in self.targets.items()
        }
        return replace(self, inputs=self.inputs.cut(num), targets=targets, keys=None)

    def places(self) -> list[Batch]:
        """Return the first rows of all examples, then the second ones, and so on, without targets.

        A question and its passage differ in length: apart they need less padding.
        """
        if self.group == 1:
            return [replace(self, targets={})]
        found = [self.inputs.every(place, self.group) for place in range(self.group)]
        return [Batch(inputs.rows(0, len(self))) for inputs in found]

    def rows(self, start: int, stop: int) -> Batch:
        """Return some of the examples; targets of every position, (B, T), lose padding too.

        Args:
            start: the first example.
            stop: the example after the last one.
        """
        first, last = start * self.group, stop * self.group
        kept, T = self.inputs.kept(first, last), self.inputs.ids.shape[1]
        targets = {}
        for name, target in self.targets.items():
            part = target[start:stop]
            of_positions = part.ndim > 1 and part.shape[1] == T
            cut = of_positions and name not in self.by_example
            targets[name] = part[:, kept] if cut else part
        keys = None if self.keys is None else self.keys[start:stop]
        return replace(self, inputs=self.inputs.rows(first, last), targets=targets, keys=keys)


def _moved(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on a device; a GPU fetches it from pinned memory when it comes to it."""
    if device.type == "cuda" and tensor.device.type == "cpu":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def _cut(tensor: Tensor, num: int) -> Tensor:
    """Return (B, T, ...) as (B * num, T / num, ...)."""
    B, T = tensor.shape[:2]
    return tensor.reshape(B * num, T // num, *tensor.shape[2:])
