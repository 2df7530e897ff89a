"""One thread computes the requests of all clients, in batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from foretext.serving.ability import Ability
from foretext.serving.settings import ServingConfig

__all__ = ["Answered", "Pause", "Scheduler"]

T = TypeVar("T")
Pause = Callable[[], None]  # lets others have a turn; raises when the client has left


class Answered(NamedTuple):
    """The answers to the items of a request, and what they took."""

    answers: list[Any]  # in the order of the items
    queue_ms: float
    inference_ms: float
    tokens: int


class Scheduler:
    """Computes requests in the model's thread."""

    def __init__(self, settings: ServingConfig) -> None:
        self.settings = settings
        self._thread = ThreadPoolExecutor(1)

    def start(self) -> None:
        """Begin to compute."""

    async def stop(self) -> None:
        """Finish what was accepted, and end the thread."""
        self._thread.shutdown()

    async def answer(
        self,
        ability: Ability,
        items: Sequence[Any],
        options: Hashable = None,
        *,
        client: str,
    ) -> Answered:
        """Return the answers to items."""
        tokens = sum(map(ability.cost, items))
        began = time.perf_counter()
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._thread, ability.run, list(items), options)
        return Answered(answers, 0.0, (time.perf_counter() - began) * 1000, tokens)

    async def write(self, work: Callable[[Pause], T], *, client: str) -> T:
        """Do long work that calls its `Pause` often, so that others have their turns."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, work, lambda: None)
