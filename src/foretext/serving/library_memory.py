"""How much memory the libraries below a server keep for work that comes again.

oneDNN compiles a product for each shape of its matrices, and PyTorch keeps the description of each:
together half a megabyte. Texts of clients give each batch another shape, so that the 1,024 that
both keep are soon hundreds of megabytes, which hardly any batch uses again. The layers of a batch
repeat some ten shapes, and those are what has to be kept.

PyTorch reads the variables at its first product. The C library's setting counts for threads that
start later.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import MutableMapping

from foretext.base.runtime import usable_cores

__all__ = ["limit_library_memory"]

KEPT = 32  # shapes: of the layers of several models
MOST_KEPT = 1024  # what the libraries keep by themselves

ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
ARENA_CHOICE = "MALLOC_ARENA_MAX"


def limit_library_memory(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let libraries keep less, unless the user chose something; to be called before PyTorch's work.

    Args:
        environment: of this process.
    """
    environment.setdefault("LRU_CACHE_CAPACITY", str(KEPT))  # PyTorch's, of each thread
    shared = min(KEPT * usable_cores(), MOST_KEPT)  # each core may have a batch of its own
    environment.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(shared))
    if ARENA_CHOICE not in environment:
        _share_heap()


def _share_heap() -> None:
    """Let all threads allocate from one heap, where what one gives back is of use to all."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if set_option is not None:
        set_option(ARENA_MAX, 1)
