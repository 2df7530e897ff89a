"""The items of one request, which are computed piece by piece."""

from __future__ import annotations

import time
from asyncio import AbstractEventLoop
from collections.abc import Hashable, Sequence
from typing import Any

from foretext.serving.ability import Ability
from foretext.serving.pending import Pending

__all__ = ["Job"]


class Job(Pending):
    """Items that are computed together with those of other requests, the cheapest first.

    Args:
        client: who asks.
        ability: what is asked.
        options: of the ability, for all items.
        items: one or more.
        loop: of the request.
    """

    def __init__(
        self,
        client: str,
        ability: Ability,
        options: Hashable,
        items: Sequence[Any],
        loop: AbstractEventLoop,
    ) -> None:
        self.costs = [max(1, ability.cost(item)) for item in items]
        super().__init__(client, sum(self.costs), loop)
        self.items = items
        self.options = options
        self._ability = ability
        self._key = (ability, options)
        self._order = sorted(range(len(items)), key=self.costs.__getitem__)
        self._num_taken = self._num_answered = 0
        self._queued_at = time.perf_counter()
        self._began_at: float | None = None
        self.inference_seconds = 0.0
        self.result = [None] * len(items)

    @property
    def key(self) -> tuple[Ability, Hashable]:
        """Ability and options."""
        return self._key

    @property
    def ability(self) -> Ability:
        """What is asked."""
        return self._ability

    @property
    def can_be_dropped(self) -> bool:
        """Whether nobody waits for it."""
        return self.is_gone

    @property
    def all_taken(self) -> bool:
        """Whether no item waits for its batch."""
        return self._num_taken == len(self.items)

    @property
    def is_done(self) -> bool:
        """Whether all answers are there."""
        return self._num_answered == len(self.items)

    @property
    def queue_seconds(self) -> float:
        """Seconds until the first item was computed."""
        return 0.0 if self._began_at is None else self._began_at - self._queued_at

    def take(self, quantum: int, room: int) -> list[int]:
        """Take the next items, the cheapest first, until `quantum` tokens are reached.

        Returns:
            their indices; they have at most `room` tokens. The items that were taken before stay
            taken.
        """
        first, tokens = self._num_taken, 0
        while self._num_taken < len(self._order) and tokens < quantum:
            cost = self.costs[self._order[self._num_taken]]
            if tokens + cost > room:
                break
            tokens += cost
            self._num_taken += 1
        return self._order[first : self._num_taken]

    def begin(self, moment: float) -> None:
        """Note that some of the items are computed from now on."""
        if self._began_at is None:
            self._began_at = moment

    def receive(self, indices: Sequence[int], answers: Sequence[Any], seconds: float) -> None:
        """Keep the answers to some items, whose batch took some seconds."""
        for index, answer in zip(indices, answers, strict=True):
            self.result[index] = answer
        self._num_answered += len(indices)
        self.inference_seconds += seconds
