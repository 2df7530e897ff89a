"""The device of tensors, and the number format that a network computes in."""

from __future__ import annotations

import platform
from functools import cache
from typing import Literal

import torch

from foretext.base.errors import SettingError
from foretext.base.runtime import local_place, num_local_processes, num_processes

__all__ = ["DeviceName", "Precision", "ReadingPrecision", "choose_device", "choose_dtype"]

DeviceName = Literal["auto", "cpu", "cuda", "mps"]
Precision = Literal["auto", "bf16", "fp32"]
ReadingPrecision = Literal[Precision, "int8"]  # of a model in use


def choose_device(name: DeviceName = "auto") -> torch.device:
    """Return the device of that name; "auto" takes a CUDA device if there is one.

    Each process that torchrun started on a machine takes another CUDA device.

    Raises:
        SettingError: this machine has no such device, or too few of them.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if not {"cuda": torch.cuda, "mps": torch.mps, "cpu": torch.cpu}[name].is_available():
        raise SettingError(f"device = '{name}': this machine has none; use device = 'cpu'.")
    return _own_cuda_device() if name == "cuda" and num_processes() > 1 else torch.device(name)


def _own_cuda_device() -> torch.device:
    place, count = local_place(), torch.cuda.device_count()
    if place >= count:
        raise SettingError(
            f"torchrun started {num_local_processes()} processes on this machine, which has "
            f"{count} GPUs; give it --nproc-per-node={count}, or set training.device = 'cpu'."
        )
    return torch.device("cuda", place)


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
