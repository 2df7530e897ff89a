"""The numbers of the steps of one round, dealt to threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

__all__ = ["Steps"]


class Steps:
    """The steps of one round, which several threads take until the time is over."""

    def __init__(self, first: int, last: int, is_over: Callable[[], bool]) -> None:
        self.next = first
        self._first, self._last, self._is_over = first, last, is_over
        self._lock = Lock()

    def take(self) -> int | None:
        """Return the next step, or None when there is none; the first one is always there."""
        with self._lock:
            step = self.next
            if step == self._last or (step > self._first and self._is_over()):
                return None
            self.next += 1
            return step
