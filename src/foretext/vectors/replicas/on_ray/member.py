"""A replica on a node: it gets rows and text as values, and returns rows."""

from __future__ import annotations

from typing import Any

from foretext.vectors.replicas.on_ray.exchange import Exchange, Part
from foretext.vectors.replicas.on_ray.sent_text import SentText
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.replica import Replica
from foretext.vectors.replicas.shared_weights import SharedWeights
from foretext.vectors.slice_learner import Learned

__all__ = ["TARGET", "Member"]

TARGET = "foretext.vectors.replicas.on_ray.member:Member"


class Member:
    """A `Replica` that is alone on its machine.

    It has the room that processes of one machine share. What others would have written there is
    copied there, so that it learns and merges as they do, in the same bits. Of their copies it
    touches only the rows that it merges.

    Args:
        plan: a `ReplicaPlan` as it is written.
        number: of the replica.
    """

    def __init__(self, plan: str, number: int) -> None:
        self._plan, self._number = ReplicaPlan.read(plan), number
        self._text = SentText(self._plan.text)

    def has_text(self, meta: bytes) -> bool:
        """Whether the text is on this node, in the folder of the plan; else it has to be sent."""
        return self._text.is_here(meta)

    def receive(self, name: str, data: bytes) -> None:
        """Take the next bytes of a file of the text."""
        self._text.receive(name, data)

    def build(self) -> None:
        """Make the replica.

        Raises:
            CorpusError: the text cannot be read.
        """
        with self._text.folder() as folder:
            learner = self._plan.model_copy(update={"text": str(folder)}).built()
        arrays, replicas = learner.arrays(), learner.config.processes
        self._weights = SharedWeights(arrays, replicas)
        for name, array in arrays.items():
            self._weights.averaged[name][...] = array
        self._exchange = Exchange(learner.rows(), replicas)
        self._replica = Replica(learner, self._weights, self._number)

    def begin(self, *parts: Part) -> None:
        """Take the weights of the model, which are cut into the parts of all replicas."""
        for number, part in enumerate(parts):
            self._exchange.put(self._weights.averaged, number, part)
            self._exchange.put(self._weights.merged, number, part)
        self._replica.begin()

    def learn(
        self, cycle: int, number: int, rates: list[float], seed: int, *merged: Part
    ) -> tuple[Any, ...]:
        """Learn this replica's part of a round.

        Args:
            cycle: in which the round is.
            number: of the round.
            rates: of learning, at both ends of the cycle.
            seed: of the cycle.
            merged: the parts that were merged after the round before; none before the first one.

        Returns:
            a `Learned`, and the rows that each replica merges now.
        """
        if number > 0:
            self._take(number - 1, merged)
        learned = Learned(*self._replica.learn(cycle, number, rates, seed))
        return learned, *self._exchange.parts(self._replica.own, number)

    def merge(self, number: int, rate: float, *rows: Part) -> Part:
        """Merge this replica's part of the rows that are due, as each replica has learned them."""
        for replica, part in enumerate(rows):
            self._exchange.put(self._weights.copy(replica), self._number, part, number)
        self._replica.merge(number, rate)
        return self._exchange.parts(self._weights.merged, number)[self._number]

    def keep(self, *merged: Part) -> None:
        """End a cycle with the parts that were merged after its last round."""
        for number, part in enumerate(merged):
            self._exchange.put(self._weights.merged, number, part)
        self._replica.keep()

    def _take(self, round_number: int, merged: tuple[Part, ...]) -> None:
        for number, part in enumerate(merged):
            self._exchange.put(self._weights.merged, number, part, round_number)
