"""What a model is given at a step: inputs, which a backbone may see, and targets, which it may not.

The letters of every shape:

    B  rows of a batch           T  positions of a row
    D  width of the model        H  attention heads
    S  positions looked at (keys); T where nothing is cached
    V  vocabulary                C  classes or tags           K  characters of a word
    M  positions that are asked, over the whole batch
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor

__all__ = ["Batch", "Inputs", "Needed", "Visibility"]

Visibility = Literal["full", "causal", "matrix"]
Needed = Literal["all", "first"]


@dataclass(frozen=True)
class Inputs:
    """All that a backbone may see."""

    ids: Tensor  # (B, T) int64
    token_mask: Tensor | None = None  # (B, T) bool, True = a real token; None: all are
    visibility: Visibility = "full"  # what a position may look at
    visible: Tensor | None = None  # (B, T, T) bool, [b, i, j] = i may look at j; for "matrix"
    # (B, T) int64, 0 = first text, 1 = second; where shared tokens are told, 2 and 3 = the same of
    # a token that stands in both texts; None: all first
    segments: Tensor | None = None
    characters: Tensor | None = None  # (B, T, K) int64, of the words; 0 = none
    needed: Needed = "all"  # positions whose states are wanted; a backbone may give more
    values: Tensor | None = None  # (B, ...) float, what an autoencoder sees; ids then name the rows

    def to(self, device: torch.device) -> Inputs:
        """Return the same on a device."""
        return replace(self, **{name: part.to(device) for name, part in self._parts().items()})

    def rows(self, start: int, stop: int) -> Inputs:
        """Return some of the rows, without the positions that are padding in all of them."""
        parts = {name: part[start:stop] for name, part in self._parts().items()}
        token_mask = parts.get("token_mask")
        if token_mask is None:
            return replace(self, **parts)
        width = int(token_mask.sum(1).max())
        parts = {name: part[:, :width] for name, part in parts.items()}
        if self.visible is not None:
            parts["visible"] = parts["visible"][:, :, :width]
        kept = replace(self, **parts)
        return replace(kept, token_mask=None) if bool(parts["token_mask"].all()) else kept

    def _parts(self) -> dict[str, Any]:
        names = ("ids", "token_mask", "visible", "segments", "characters", "values")
        return {name: part for name in names if (part := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Batch:
    """Inputs, and what will be asked about them."""

    inputs: Inputs  # B rows
    targets: Mapping[str, Tensor] = field(default_factory=dict)  # (B / group, ...) each
    group: int = 1  # rows that make one example together, such as the two texts of a pair
    by_example: frozenset[str] = frozenset()  # targets that are none of positions, in any shape

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.inputs.ids) // self.group

    def to(self, device: torch.device) -> Batch:
        """Return the same on a device."""
        targets = {name: target.to(device) for name, target in self.targets.items()}
        return replace(self, inputs=self.inputs.to(device), targets=targets)

    def rows(self, start: int, stop: int) -> Batch:
        """Return some of the examples; targets of every position lose padding as inputs do."""
        inputs = self.inputs.rows(start * self.group, stop * self.group)
        before, after = self.inputs.ids.shape[1], inputs.ids.shape[1]
        targets = {}
        for name, target in self.targets.items():
            part = target[start:stop]
            of_positions = part.ndim > 1 and part.shape[1] == before
            cut = of_positions and name not in self.by_example
            targets[name] = part[:, :after] if cut else part
        return replace(self, inputs=inputs, targets=targets)
