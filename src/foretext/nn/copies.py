"""Copies of a network for certain uses, as long as its weights stay what they are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

__all__ = ["Copies"]


class Copies:
    """What was made of a network's weights, made anew where a weight has changed since.

    A training moves weights unseen by this: ask for copies once it is over.

    Args:
        original: the network.
        shared: parts of it that are not copied, such as a tokenizer.
    """

    def __init__(self, original: nn.Module, shared: tuple[Any, ...] = ()) -> None:
        self.original = original
        self.shared = shared
        self._made: dict[str, tuple[Any, Any]] = {}  # the weights then, and what was made of them

    def in_dtype(self, dtype: torch.dtype) -> Any:
        """Return the network with all weights in `dtype`: itself, where they are so."""
        original = self.original.eval()
        if next(original.parameters()).dtype == dtype:
            return original
        return self.made(str(dtype), lambda: self._cast(dtype))

    def made(self, kind: str, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of the weights as they are now."""
        weights = [(weight.data_ptr(), weight._version) for weight in self.original.parameters()]
        before, found = self._made.get(kind, (None, None))
        if before != weights:
            found = make()
            self._made[kind] = weights, found
        return found

    def _cast(self, dtype: torch.dtype) -> nn.Module:
        memo = {id(part): part for part in self.shared}
        return copy.deepcopy(self.original, memo).eval().requires_grad_(False).to(dtype)
