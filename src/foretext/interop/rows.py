"""Which of our weights is which of theirs: the rows of a family's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

import torch
from torch import Tensor

__all__ = ["Layout", "Row", "affine", "scale"]

Layout = Literal["same", "transposed", "reversed", "row"]


class Row(NamedTuple):
    """One weight here, and the weights there with the same numbers.

    ``{i}`` in the names is the number of a layer, from 0.
    """

    ours: str
    theirs: tuple[str, ...]  # parts, concatenated along our first axis
    layout: Layout = "same"  # of each part: as ours, transposed, last row first, or (1, ...)
    flag: str | None = None  # their setting for whether it exists; None: it always does
    first_layer: int = 0  # with this weight
    num_unused: int = 0  # rows of theirs before ours, which no program reads
    num_heads: int = 0  # into which the last axis of theirs is cut; 0: it is not

    def of_layer(self, layer: int) -> Self:
        """Return the row with the number of a layer in its names."""
        theirs = tuple(name.replace("{i}", str(layer)) for name in self.theirs)
        return self._replace(ours=self.ours.replace("{i}", str(layer)), theirs=theirs)

    def prefixed(self, ours: str, theirs: str) -> Self:
        """Return the row with prefixes before its names."""
        names = tuple(theirs + name for name in self.theirs)
        return self._replace(ours=ours + self.ours, theirs=names)

    def shape_there(self, shape: torch.Size) -> tuple[int, ...]:
        """Return the shape of each part of theirs, where ours has `shape`."""
        part = (shape[0] // len(self.theirs) + self.num_unused, *shape[1:])
        part = part[::-1] if self.layout == "transposed" else part
        part = (1, *part) if self.layout == "row" else part
        if not self.num_heads:
            return part
        return (*part[:-1], self.num_heads, part[-1] // self.num_heads)

    def split(self, tensor: Tensor) -> list[Tensor]:
        """Return float32 copies of the parts of our weight, as theirs."""
        return [
            self._cut(self._begun(self._theirs(part).to("cpu", torch.float32, copy=True)))
            for part in tensor.detach().chunk(len(self.theirs))
        ]

    def join(self, parts: Sequence[Tensor], ours: Tensor) -> None:
        """Copy their weights into ours, in any precision."""
        for place, part in zip(ours.chunk(len(parts)), parts, strict=True):
            whole = part.flatten(-2) if self.num_heads else part
            place.copy_(self._ours(whole[self.num_unused :]))

    def _begun(self, part: Tensor) -> Tensor:
        """Put zeros where they have rows that no program reads."""
        if not self.num_unused:
            return part
        return torch.cat([part.new_zeros(self.num_unused, *part.shape[1:]), part])

    def _cut(self, part: Tensor) -> Tensor:
        """Cut the last axis into heads, where theirs is so."""
        heads = (*part.shape[:-1], self.num_heads, -1)
        return (part.reshape(heads) if self.num_heads else part).contiguous()

    def _theirs(self, part: Tensor) -> Tensor:
        return part[None] if self.layout == "row" else self._turned(part)

    def _ours(self, part: Tensor) -> Tensor:
        return part[0] if self.layout == "row" else self._turned(part)

    def _turned(self, part: Tensor) -> Tensor:
        if self.layout == "transposed":
            return part.T
        return part.flip(0) if self.layout == "reversed" else part


def affine(ours: str, *theirs: str, layout: Layout = "same", bias: str | None = None) -> list[Row]:
    """Return the rows of the weight and bias of a layer or norm; `bias` is the flag of the bias."""
    # A vector is not transposed.
    bias_layout: Layout = "same" if layout == "transposed" else layout
    return [
        Row(f"{ours}.weight", tuple(f"{name}.weight" for name in theirs), layout),
        Row(f"{ours}.bias", tuple(f"{name}.bias" for name in theirs), bias_layout, bias),
    ]


def scale(ours: str, theirs: str) -> Row:
    """Return the row of a weight without bias."""
    return Row(f"{ours}.weight", (f"{theirs}.weight",))
