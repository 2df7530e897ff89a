"""Weights from one set of names to another, by rows; none is left out silently."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Self

import torch
from torch import Tensor, nn

from foretext.base.errors import ModelFileError

__all__ = [
    "NO_HEADS",
    "Heads",
    "Row",
    "affine",
    "fill_weights",
    "named_weights",
    "renamed_weights",
    "scale",
]

Flag = Callable[[str], bool]  # their setting for whether a weight exists
NUMBERS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
MAX_NAMES = 3  # in an error message

Layout = Literal["same", "transposed", "reversed", "row"]


def named_weights(**parts: nn.Module | None) -> dict[str, Tensor]:
    """Return every weight of the parts of a model once, under the name of its part.

    A weight that parts share, such as tied token vectors, has the name of the first part.
    """
    model = nn.ModuleDict({name: part for name, part in parts.items() if part is not None})
    names: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, weight in model.state_dict(keep_vars=True).items():
        if id(weight) not in seen:
            names[name] = weight
        seen.add(id(weight))
    return names


def renamed_weights(
    ours: Mapping[str, Tensor], rows: Iterable[Row], flag: Flag
) -> dict[str, Tensor]:
    """Return our weights as theirs, float32 on the CPU; weights that only they have are zero."""
    theirs: dict[str, Tensor] = {}
    written = set()
    for row in rows:
        written.add(row.ours)
        if row.flag is None or flag(row.flag):
            weight = ours[row.ours] if row.ours in ours else _nothing(row.ours, ours)
            theirs |= zip(row.theirs, row.split(weight), strict=True)
        else:
            assert row.ours not in ours, f"{row.ours} has no place there"
    assert written >= ours.keys(), f"no row for {sorted(ours.keys() - written)}"
    return theirs


@torch.no_grad()
def fill_weights(
    ours: Mapping[str, Tensor],
    rows: Iterable[Row],
    flag: Flag,
    theirs: dict[str, Tensor],
    unused: str,
    path: Path,
) -> tuple[str, ...]:
    """Copy their weights to ours; weights that only we have become zero.

    Args:
        ours: the weights that are written to.
        rows: from our names to theirs.
        flag: their setting for whether a weight exists.
        theirs: the weights of `path`; taken out one by one.
        unused: expression for the names of weights that may be there and are left out.
        path: for error messages.

    Returns:
        The names of the weights that were left out.

    Raises:
        ModelFileError: weights are missing, have a wrong shape, are not finite, or are unknown.
    """
    rows = list(rows)
    assert {row.ours for row in rows} >= ours.keys(), "every weight needs a row"
    there = [row for row in rows if row.flag is None or flag(row.flag)]
    absent = [name for row in there for name in row.theirs if name not in theirs]
    if absent:
        raise ModelFileError(
            f"{path}: weights that config.json needs are missing: {_listed(absent)}."
        )
    for row in rows:
        target = ours.get(row.ours)
        if row not in there:
            if target is not None:
                target.zero_()
            continue
        parts = [theirs.pop(name) for name in row.theirs]
        if target is None:
            _check_zero(row, parts, path)
        else:
            _check_parts(row, parts, target, path)
            row.join(parts, target)
    unknown = [name for name in theirs if not re.fullmatch(unused, name)]
    if unknown:
        raise ModelFileError(
            f"{path} contains weights that config.json does not describe: {_listed(unknown)}."
        )
    return tuple(theirs)


def _nothing(name: str, ours: Mapping[str, Tensor]) -> Tensor:
    """Zeros for a weight that only they have: a bias, or the vector of a single segment."""
    if name.endswith(".bias"):
        weight = ours.get(f"{name.removesuffix('.bias')}.weight")
        if weight is None:  # a head whose weights are the token vectors, those of the target
            *_, weight = (w for n, w in ours.items() if n.endswith("embeddings.tokens.weight"))
        return torch.zeros(len(weight))
    assert name == "backbone.embeddings.segments.weight", name
    return torch.zeros(1, ours["backbone.embeddings.tokens.weight"].shape[1])


def _check_zero(row: Row, parts: Iterable[Tensor], path: Path) -> None:
    for name, part in zip(row.theirs, parts, strict=True):
        if part.any():
            raise ModelFileError(
                f"{path}: '{name}' is not zero, but config.json says under \"foretext\" that "
                'the model has no such weight; remove the key "foretext" from config.json.'
            )


def _check_parts(row: Row, parts: Iterable[Tensor], target: Tensor, path: Path) -> None:
    shape = row.shape_there(target.shape)
    for name, part in zip(row.theirs, parts, strict=True):
        if tuple(part.shape) != shape:
            raise ModelFileError(
                f"{path}: '{name}' has the shape {tuple(part.shape)}, but config.json needs "
                f"{shape}."
            )
        if part.dtype not in NUMBERS:
            kind = str(part.dtype).removeprefix("torch.")
            raise ModelFileError(f"{path}: '{name}' has the type {kind}, which is not supported.")
        if part.numel() and not torch.stack(torch.aminmax(part)).isfinite().all():
            raise ModelFileError(
                f"{path}: '{name}' contains infinite numbers or NaN: the training diverged, or the "
                "file is damaged; download or train the model again."
            )


def _listed(names: list[str]) -> str:
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


class Heads(NamedTuple):
    """Of language modelling, and of next-sentence prediction."""

    head: bool
    pair_head: bool
    tied: bool  # the head's weights are the token vectors
    apart: bool = False  # weights that their classes do not have stand in a file of their own


NO_HEADS = Heads(head=False, pair_head=False, tied=True)


class Row(NamedTuple):
    """One weight here, and the weights there with the same numbers.

    ``{i}`` in the names is the number of a layer, from 0.
    """

    ours: str
    theirs: tuple[str, ...]  # parts, concatenated along our first axis
    layout: Layout = "same"  # of each part: as ours, transposed, last row first, or (1, ...)
    flag: str | None = None  # their setting for whether it exists; None: it always does
    only_with: str | None = None  # setting of ours that is none in models without it
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
