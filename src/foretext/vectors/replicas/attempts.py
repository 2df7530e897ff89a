"""Work of several processes, done again where one of them was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from foretext.base.errors import OutputError
from foretext.progress.run_context import RunContext
from foretext.vectors.replicas.group import ReplicaLostError

__all__ = ["TRIES", "Attempts", "too_many_lost"]

Result = TypeVar("Result")

TRIES = 3  # of one work: the system ends processes where memory is short, and it may be back


def too_many_lost() -> OutputError:
    """Return the error of a training whose processes ended `TRIES` times."""
    return OutputError(
        f"A process of the training has ended {TRIES} times; free memory or take fewer "
        "--processes in a new run."
    )


class Attempts:
    """Does work once all processes are there.

    Args:
        start: has all of them there, each with the weights of the model.
        context: gets a note where one is lost.
    """

    def __init__(self, start: Callable[[], None], context: RunContext) -> None:
        self._start, self._context = start, context
        self._is_whole = False  # whether all are there

    def begin_again(self) -> None:
        """Give the weights of the model to all before the next work."""
        self._is_whole = False

    def __call__(self, work: Callable[[], Result]) -> Result:
        """Do what a process that ends can spoil, until it is done by all.

        Raises:
            OutputError: processes end again and again; the weights are those before the work.
        """
        for _ in range(TRIES):
            try:
                if not self._is_whole:
                    self._start()
                    self._is_whole = True
                return work()
            except ReplicaLostError as lost:
                self._is_whole = False
                self._context.note(
                    f"{lost}; another one takes its place, and what was learned since all had the "
                    "same weights is learned again"
                )
        raise too_many_lost()
