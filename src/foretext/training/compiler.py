"""Whether `torch.compile` works on a machine: it needs a C++ compiler, and Triton on a GPU."""

from __future__ import annotations

from functools import cache

import torch

from foretext.base.errors import SettingError

__all__ = ["check_compiler"]


@cache
def check_compiler(device: torch.device) -> None:
    """Compile a sum, which takes some seconds.

    Raises:
        SettingError: that does not work.
    """
    try:
        torch.compile(torch.add)(torch.zeros(2, device=device), torch.ones(2, device=device))
    except Exception as error:  # of many classes, which differ by version
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise SettingError(
            f"[training] compile = true: PyTorch cannot compile for {device} on this machine: "
            f"{reason}. Leave it out, or install a C++ compiler."
        ) from error
