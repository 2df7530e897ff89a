"""The items of one request, which are computed piece by piece."""

from __future__ import annotations

import time
from asyncio import AbstractEventLoop
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import Any

from foretext.serving.ability import Ability
from foretext.serving.pending import Pending

__all__ = ["Job"]


class Job(Pending):
    """Items that are computed together with those of other requests.

    Args:
        client: who asks.
        ability: what is asked.
        options: of the ability, for all items.
        items: one or more.
        loop: of the request.
        costs: tokens of each item; None: as the ability estimates them.
    """

    def __init__(
        self,
        client: str,
        ability: Ability,
        options: Hashable,
        items: Sequence[Any],
        loop: AbstractEventLoop,
        costs: Sequence[int] | None = None,
    ) -> None:
        known = map(ability.cost, items) if costs is None else costs
        self.costs = [max(1, cost) for cost in known]
        super().__init__(client, sum(self.costs), loop)
        self.items = items
        self.options = options
        self._ability = ability
        self._key = (ability, options)
        self._waiting = sorted(range(len(items)), key=self.costs.__getitem__)
        self._num_answered = 0
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
        return not self._waiting

    @property
    def is_done(self) -> bool:
        """Whether all answers are there."""
        return self._num_answered == len(self.items)

    @property
    def queue_seconds(self) -> float:
        """Seconds until the first item was computed."""
        return 0.0 if self._began_at is None else self._began_at - self._queued_at

    def take(self, like: int, quantum: int, room: int) -> list[int]:
        """Take the items whose costs are nearest to `like`, until `quantum` tokens are reached.

        Returns:
            their indices; they have at most `room` tokens. The items that were taken before stay
            taken.
        """
        taken, tokens = list[int](), 0
        while self._waiting and tokens < quantum:
            place = self._nearest(like)
            cost = self.costs[self._waiting[place]]
            if tokens + cost > room:
                break
            taken.append(self._waiting.pop(place))
            tokens += cost
        return taken

    def _nearest(self, like: int) -> int:
        """Return the place in `_waiting` of the item whose cost is nearest to `like`."""
        place = bisect_left(self._waiting, like, key=self.costs.__getitem__)
        near = [each for each in (place - 1, place) if 0 <= each < len(self._waiting)]
        return min(near, key=lambda each: abs(self.costs[self._waiting[each]] - like))

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
