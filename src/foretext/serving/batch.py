"""Items of several requests that are computed together."""

from __future__ import annotations

import heapq
import time
from asyncio import AbstractEventLoop
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from foretext.serving.ability import Ability
from foretext.serving.pending import Pending

__all__ = ["Batch", "Computed", "Job", "fill"]

QUANTUM = 32  # tokens that a client takes at a time, unless an item has more


class Computed(NamedTuple):
    """What metrics learn of a batch."""

    ability: str
    num_requests: int
    num_items: int
    tokens: int
    seconds: float


class Batch:
    """Some items of requests that ask the same.

    Args:
        parts: requests with equal keys, and the indices of their items.
    """

    def __init__(self, parts: dict[Job, list[int]]) -> None:
        self.parts = parts
        items = [(job.costs[index], job, index) for job, some in parts.items() for index in some]
        items.sort(key=lambda item: item[0])
        self._order = [(job, index) for _, job, index in items]
        first = next(iter(parts))
        self.ability, self._options = first.ability, first.options

    def __len__(self) -> int:
        return len(self._order)

    def run(self) -> float:
        """Compute the items, the cheapest first, and give each request its answers.

        Returns:
            how many seconds it took.

        Raises:
            Exception: that of the ability; no request has an answer then.
        """
        began = time.perf_counter()
        for job in self.parts:
            job.begin(began)
        answers = self.ability.run([job.items[index] for job, index in self._order], self._options)
        assert len(answers) == len(self), f"{len(answers)} answers to {len(self)} items"
        seconds = time.perf_counter() - began
        found: dict[Job, list[Any]] = {job: [] for job in self.parts}
        places: dict[Job, list[int]] = {job: [] for job in self.parts}
        for (job, index), answer in zip(self._order, answers, strict=True):
            found[job].append(answer)
            places[job].append(index)
        for job, own in found.items():
            job.receive(places[job], own, seconds)
        return seconds

    def tokens_of(self, job: Job) -> int:
        """Return how many tokens of a request are in it."""
        return sum(job.costs[index] for index in self.parts[job])

    def apart(self) -> list[Batch]:
        """Return a batch for each request."""
        return [Batch({job: indices}) for job, indices in self.parts.items()]


def fill(queues: Sequence[Sequence[Job]], room: int) -> Batch:
    """Take items of requests that share a turn, in equal parts, until a batch is full.

    The cheapest item of the request whose turn it is comes first, and then always the client takes
    that has the fewest tokens yet: what is most like the first item, so that little is padded.

    Args:
        queues: requests with equal keys, a list for each client.
        room: tokens of the batch; the first item is taken even if it has more.
    """
    first = queues[0][0]
    parts = {first: first.take(0, 1, first.tokens)}
    like = first.costs[parts[first][0]]
    room -= like
    rest = [list(queue) for queue in queues]
    rest[0].append(rest[0].pop(0))  # the client's other requests come first
    clients = [(like if not place else 0, place) for place in range(len(rest))]
    heapq.heapify(clients)
    while clients and room > 0:
        tokens, place = heapq.heappop(clients)
        job = rest[place].pop(0)
        taken = job.take(like, QUANTUM, room)
        if taken:
            parts.setdefault(job, []).extend(taken)
            num = sum(job.costs[index] for index in taken)
            room, tokens = room - num, tokens + num
            rest[place].append(job)
        if rest[place]:
            heapq.heappush(clients, (tokens, place))
    return Batch(parts)


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
