"""The number format that a network computes in: bfloat16 where the device multiplies it itself."""

from __future__ import annotations

import platform
from functools import cache
from typing import Literal

import torch

__all__ = ["Precision", "ReadingPrecision", "choose_dtype"]

Precision = Literal["auto", "bf16", "fp32"]
ReadingPrecision = Literal[Precision, "int8"]  # of a model in use


def choose_dtype(precision: ReadingPrecision, device: torch.device) -> torch.dtype:
    """Return bfloat16 or float32; "auto" takes bfloat16 if the device supports it natively.

    So does "int8", for all that is not a product with weights.
    """
    if precision in ("auto", "int8"):
        return torch.bfloat16 if _has_bfloat16(device.type) else torch.float32
    return torch.bfloat16 if precision == "bf16" else torch.float32


@cache
def _has_bfloat16(kind: str) -> bool:
    if kind == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if kind == "cpu":
        return _processor_has_bfloat16()
    return False


def _processor_has_bfloat16() -> bool:
    """Return whether the processor multiplies bfloat16 itself.

    oneDNN says that it supports them on every x86 processor with AVX-512; without instructions for
    them it converts to float32 and back, which takes several times as long as float32 alone.
    """
    if platform.machine().lower() in ("x86_64", "amd64"):
        return bool(torch.cpu._is_avx512_bf16_supported())
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
