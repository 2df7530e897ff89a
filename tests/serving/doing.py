"""An ability that notes what it is asked, and a scheduler within a test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from foretext.serving.ability import Ability
from foretext.serving.scheduler import Scheduler
from foretext.serving.settings import ServingConfig

__all__ = ["Doing", "scheduling", "until"]


class Doing(Ability):
    """An item is a number, which is its cost; the answer is its double.

    A batch waits for `gate`, where it is closed.
    """

    name: ClassVar[str] = "doing"

    def __init__(self, fails: Callable[[Any], BaseException | None] = lambda item: None) -> None:
        super().__init__(None)
        self.batches: list[list[Any]] = []
        self.threads: set[str] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.fails = fails

    def cost(self, item: int) -> int:
        return item

    def run(self, items: Sequence[int], options: Hashable) -> list[int]:
        self.threads.add(threading.current_thread().name)
        self.batches.append(list(items))
        assert self.gate.wait(20)
        for item in items:
            if (error := self.fails(item)) is not None:
                raise error
        return [2 * item for item in items]


@asynccontextmanager
async def scheduling(**settings: Any) -> AsyncIterator[Scheduler]:
    """A scheduler that runs within."""
    scheduler = Scheduler(ServingConfig(**settings))
    scheduler.start()
    try:
        yield scheduler
    finally:
        await scheduler.stop()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    for _ in range(4000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")


def run(work: Awaitable[Any]) -> Any:
    """Run a coroutine."""
    return asyncio.run(work)  # type: ignore[arg-type]
