"""The copy of a network that reads many rows fastest."""

from __future__ import annotations

from typing import Any

import torch

from foretext.nn.copies import Copies
from foretext.nn.device import ReadingPrecision
from foretext.nn.packed_linear import packed
from foretext.nn.quantized_linear import quantized

__all__ = ["reading_copy"]


def reading_copy(copies: Copies, dtype: torch.dtype, precision: ReadingPrecision) -> Any:
    """Return the network in `dtype`, on a CPU with linear maps for many rows.

    With the precision "int8" their products are those of integers, and all else is in `dtype`.
    """
    make = quantized if precision == "int8" else packed
    return copies.made(f"{make.__name__} {dtype}", lambda: make(copies.in_dtype(dtype)))
