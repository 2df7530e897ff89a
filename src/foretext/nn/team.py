"""The threads that a kernel may use: torch's own, found in the library that torch has loaded."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

import torch
from torch import Tensor

from foretext.kernels.team import ALONE, Team

__all__ = ["has_kernels", "torch_team"]


def has_kernels(x: Tensor) -> bool:
    """Whether our kernels work on a tensor: on a CPU, outside of `torch.compile`.

    That writes kernels of its own, from PyTorch's operations.
    """
    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def torch_team() -> Team:
    """Return torch's team with as many threads as torch uses now, or a single thread.

    It is a single thread if torch was built without gcc's OpenMP interface (macOS, Windows), or if
    several OpenMP libraries are loaded and it is not clear which one is torch's.
    """
    fork = _fork_address()
    return Team(fork, torch.get_num_threads()) if fork else ALONE


@functools.cache
def _fork_address() -> int:
    library = _openmp_library()
    if library is None:
        return 0
    fork = getattr(ctypes.CDLL(str(library)), "GOMP_parallel", None)
    return ctypes.cast(fork, ctypes.c_void_p).value or 0 if fork else 0


def _openmp_library() -> Path | None:
    """Return the OpenMP library that torch works with, as Linux lists it among what is loaded."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return None
    files = {Path(line.split()[-1]) for line in maps.read_text().splitlines() if "omp" in line}
    found = [file for file in files if file.name.startswith(("libgomp", "libomp", "libiomp"))]
    home = Path(torch.__file__).parent  # the wheel's copy is in torch/lib or torch.libs
    own = [file for file in found if {home, home.with_name("torch.libs")} & {*file.parents}]
    candidates = own or found
    return candidates[0] if len(candidates) == 1 else None
