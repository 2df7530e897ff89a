"""A group of replicas of a model that learn together, on this machine or on a cluster."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from foretext.vectors.schedule import Learned

__all__ = ["ReplicaGroup", "ReplicaLostError"]


class ReplicaLostError(Exception):
    """A replica has ended before it answered; the text says which, and what is known of why."""


class ReplicaGroup(Protocol):
    """Replicas of a model, each with weights of its own.

    Between two cycles the arrays of the model have the weights that all replicas had at the end of
    the last one. A cycle in which a replica is lost leaves these arrays as they were.
    """

    def __enter__(self) -> Self:
        """Make room; no replica is there before `start`."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End all replicas."""

    def start(self) -> None:
        """Have all replicas there, each with the weights of the model; lost ones are replaced.

        Raises:
            ForetextError: they cannot be there.
            ReplicaLostError: one was lost; it can be tried again.
        """

    def learn(self, cycle: int, rates: tuple[float, float], seed: int) -> Learned:
        """Learn a cycle, and write to the arrays of the model what all replicas have then.

        Args:
            cycle: its number in the text.
            rates: of learning, at both ends of the cycle.
            seed: of the cycle.

        Raises:
            ForetextError: it cannot be learned.
            ReplicaLostError: a replica was lost; call `start` before the next cycle.
        """
        ...
