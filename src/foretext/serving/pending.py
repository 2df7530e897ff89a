"""What waits for the model: items to be computed, or work to be continued."""

from __future__ import annotations

from abc import ABC, abstractmethod
from asyncio import AbstractEventLoop, Future
from collections.abc import Hashable
from typing import Any

__all__ = ["Pending"]


class Pending(ABC):
    """A request, from its admission to its result.

    Args:
        client: who asks.
        tokens: that it counts.
        loop: of the request.

    Attributes:
        future: becomes the result.
        tokens_left: not yet computed.
        is_gone: whether nobody waits for the result any more.
        result: once there is one.
        error: instead of a result.
    """

    def __init__(self, client: str, tokens: int, loop: AbstractEventLoop) -> None:
        self.client = client
        self.tokens = self.tokens_left = tokens
        self.loop = loop
        self.future: Future[Any] = loop.create_future()
        self.is_gone = False
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Requests with equal keys share their turns."""

    @property
    @abstractmethod
    def ability(self) -> Hashable:
        """Whose pace is measured."""

    @property
    @abstractmethod
    def can_be_dropped(self) -> bool:
        """Whether it needs no turn any more, since nobody waits for it."""

    def settle(self) -> None:
        """Let the request have its result, or error; called in its event loop."""
        if self.future.done():  # the client has left
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)
