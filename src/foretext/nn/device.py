"""The device of tensors."""

from __future__ import annotations

from typing import Literal

import torch

from foretext.base.errors import SettingError
from foretext.base.runtime import local_place, num_local_processes, num_processes

__all__ = ["DeviceName", "Pace", "choose_device"]


DeviceName = Literal["auto", "cpu", "cuda", "mps"]


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


class Pace:
    """Keeps a program one step ahead of the GPU that it gives work to, and no more.

    The GPU then always has work, and a clock that the program looks at shows how far the GPU is.

    Args:
        device: that computes; a processor is never behind.
    """

    def __init__(self, device: torch.device) -> None:
        self._is_behind = device.type == "cuda"
        self._last: torch.cuda.Event | None = None

    def wait(self) -> None:
        """Wait until the step before the newest one is computed."""
        if not self._is_behind:
            return
        newest = torch.cuda.Event()  # type: ignore[no-untyped-call]
        newest.record()
        if self._last is not None:
            self._last.synchronize()
        self._last = newest
