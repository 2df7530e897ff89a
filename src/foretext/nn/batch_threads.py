"""A thread for each core, with batches of its own, where a network reads many of them on a CPU.

Threads that share out each operation wait for each other at its end, some thousand times a second,
and for the slowest of them where another process uses a core. Threads with batches of their own
wait for each other once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import torch

from foretext.base.runtime import Threads

__all__ = ["over_batches"]

BATCHES_A_THREAD = 2  # with fewer, some threads would have nothing to do for too long

B = TypeVar("B")
R = TypeVar("R")


def over_batches(
    compute: Callable[[B], R], batches: Sequence[B], device: torch.device
) -> Iterator[R]:
    """Yield what `compute` makes of each batch, in order.

    Args:
        compute: is called by several threads at once on a CPU, without gradients.
        batches: the largest first.
        device: of the network.
    """
    num_threads = torch.get_num_threads()
    has_enough = len(batches) >= BATCHES_A_THREAD * num_threads
    if device.type != "cpu" or num_threads == 1 or not has_enough:
        for batch in batches:
            yield _without_gradients(compute, batch)
        return
    with _single_threads(num_threads) as threads:
        yield from threads.map(lambda batch: _without_gradients(compute, batch), batches)


@torch.inference_mode()
def _without_gradients(compute: Callable[[B], R], batch: B) -> R:
    return compute(batch)


@contextmanager
def _single_threads(num_threads: int) -> Iterator[Threads]:
    """Yield threads whose operations are not shared out to further ones."""
    try:
        with Threads(num_threads, "batch", torch.set_num_threads, (1,)) as threads:
            yield threads
    finally:
        torch.set_num_threads(num_threads)  # new threads would take over the last number
