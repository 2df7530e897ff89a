"""Several threads work on the parts of something; results keep the order of the parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from foretext.base.runtime import Threads

__all__ = ["map_in_order"]

Part = TypeVar("Part")
Result = TypeVar("Result")


def map_in_order(
    work: Callable[[Part], Result], parts: Iterable[Part], workers: int
) -> Iterator[Result]:
    """Yield ``work(part)`` in order; at most two parts per thread are in memory."""
    pending: deque[Future[Result]] = deque()
    with Threads(workers, thread_name_prefix="blocks") as pool:
        try:
            for part in parts:
                pending.append(pool.submit(work, part))
                if len(pending) >= 2 * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
