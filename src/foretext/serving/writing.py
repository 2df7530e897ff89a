"""Long work, such as writing a text, which the model does a little of in each of its turns."""

from __future__ import annotations

import threading
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import Any

from foretext.serving.pending import Pending

__all__ = ["ClientLeft", "Pause", "Work", "Writing"]


class ClientLeft(Exception):  # noqa: N818  an event, not an error
    """Nobody waits for the result any more; `Pause` raises it in the work."""


Pause = Callable[[], None]  # lets others have their turns
Work = Callable[[Pause], Any]


class Writing(Pending):
    """Work that keeps its place between two turns, in a thread of its own.

    The thread runs only while the model's thread waits in `turn`, so that no two threads compute at
    the same time.

    Args:
        client: who asks.
        work: calls `Pause` often, such as at each token.
        loop: of the request.

    Attributes:
        is_done: whether it has ended.
    """

    def __init__(self, client: str, work: Work, loop: AbstractEventLoop) -> None:
        super().__init__(client, 1, loop)
        self.is_done = False
        self.seconds = 0.0  # of all turns
        self._work = work
        self._turn_ends = 0.0
        self._others_wait: Callable[[], bool] = bool
        self._thread: threading.Thread | None = None
        self._resumed, self._paused = threading.Semaphore(0), threading.Semaphore(0)

    @property
    def key(self) -> Writing:
        """The work itself: it shares its turns with nothing."""
        return self

    @property
    def ability(self) -> str:
        """All long work has one pace, of which each is one token."""
        return "writing"

    @property
    def can_be_dropped(self) -> bool:
        """Whether nobody waits for it, and it has no thread that has to end."""
        return self.is_gone and not self.has_begun

    @property
    def has_begun(self) -> bool:
        """Whether it has had a turn."""
        return self._thread is not None

    def turn(self, seconds: float, others_wait: Callable[[], bool]) -> None:
        """Let the work go on for some time; called in the model's thread.

        Args:
            seconds: that it has; it goes on where nothing else waits.
            others_wait: whether something does.
        """
        began = time.perf_counter()
        self._turn_ends, self._others_wait = began + seconds, others_wait
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="foretext-writing", daemon=True)
            self._thread.start()
        else:
            self._resumed.release()
        self._paused.acquire()
        self.seconds += time.perf_counter() - began

    def pause(self) -> None:
        """Let others have a turn where this one is over; the work calls it.

        Raises:
            ClientLeft: nobody waits for the result.
        """
        if not self.is_gone and time.perf_counter() > self._turn_ends and self._others_wait():
            self._paused.release()
            self._resumed.acquire()
        if self.is_gone:
            raise ClientLeft

    def _run(self) -> None:
        try:
            self.result = self._work(self.pause)
        except BaseException as error:  # such as a panic of a library in Rust
            self.error = error
        self.is_done = True
        self._paused.release()
