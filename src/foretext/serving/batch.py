"""Items of several requests that are computed together."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from foretext.serving.job import Job

__all__ = ["Batch", "Computed", "fill"]

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
