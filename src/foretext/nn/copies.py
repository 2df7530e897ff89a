"""Copies of a network for certain uses, kept until its weights change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

__all__ = ["Copies"]


class Copies:
    """What was made of a network's weights, made again if a weight has changed since.

    Changes during training are not noticed: ask for copies after it.

    Args:
        original: the network.
        shared: parts of it that are not copied, such as a tokenizer.
    """

    def __init__(self, original: nn.Module, shared: tuple[Any, ...] = ()) -> None:
        self.original = original
        self.shared = shared
        self._made: dict[
            str, tuple[Any, Any]
        ] = {}  # the weights at that time, and what was made of them

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was made: it holds weights in forms of a library, and is made again."""
        return {**vars(self), "_made": {}}

    def in_dtype(self, dtype: torch.dtype) -> Any:
        """Return the network with all weights in `dtype`: itself, if they are already."""
        original = self.original.eval()
        if next(original.parameters()).dtype == dtype:
            return original
        return self.made(str(dtype), lambda: self._cast(dtype))

    def made(self, kind: str, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of the present weights."""
        weights = [(weight.data_ptr(), weight._version) for weight in self.original.parameters()]
        before, found = self._made.get(kind, (None, None))
        if before != weights:
            found = make()
            self._made[kind] = weights, found
        return found

    def _cast(self, dtype: torch.dtype) -> nn.Module:
        memo = {id(part): part for part in self.shared}
        return copy.deepcopy(self.original, memo).eval().requires_grad_(False).to(dtype)
