"""Batches: filled from several requests, within a room, and answered in order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.serving.batch import QUANTUM, Job, fill
from tests.serving.doing import Doing

LOOP = asyncio.new_event_loop()
DOING = Doing()


def job_of(costs: list[int], client: str = "a", ability: Doing = DOING) -> Job:
    return Job(client, ability, None, costs, LOOP)


def drained(queues: list[list[Job]], room: int) -> list[int]:
    """Compute batch after batch until all is answered; the tokens of each."""
    sizes = []
    waiting = queues
    while waiting:
        batch = fill(waiting, room)
        sizes.append(sum(map(batch.tokens_of, batch.parts)))
        batch.run()
        left = [[job for job in queue if not job.all_taken] for queue in waiting]
        waiting = [queue for queue in left if queue]
        waiting = waiting[1:] + waiting[:1]
    return sizes


def test_a_batch_is_sorted_and_its_answers_are_not() -> None:
    ability = Doing()
    one, two = job_of([9, 2, 5], ability=ability), job_of([1, 7], "b", ability)
    fill([[one], [two]], 1000).run()
    assert ability.batches == [[1, 2, 5, 7, 9]]
    assert (one.result, two.result) == ([18, 4, 10], [2, 14])
    assert one.is_done
    assert two.is_done


def test_a_full_batch_is_shared_by_tokens() -> None:
    long = job_of([100] * 90, "long")
    short = [job_of([10] * 400, "short")]
    batch = fill([[long], short], 3000)
    taken = {job.client: batch.tokens_of(job) for job in batch.parts}
    assert abs(taken["long"] - taken["short"]) <= 100  # an item of the long one
    assert 2900 < sum(taken.values()) <= 3000


def test_items_of_a_batch_are_alike() -> None:
    """The first one is the cheapest of the request whose turn it is, so none waits for ever."""
    ability = Doing()
    jobs = [job_of([100, 700], "turn", ability)]
    jobs += [job_of([3, 90 + number, 400, 710], f"{number}", ability) for number in range(3)]
    fill([[job] for job in jobs], 375).run()
    assert ability.batches == [[90, 91, 92, 100]]
    fill([[job] for job in jobs], 3000).run()
    assert ability.batches[1] == [700, 710, 710, 710]


def test_requests_of_one_client_share_what_it_has() -> None:
    crowd = [job_of([QUANTUM] * 8, "crowd") for _ in range(4)]
    alone = job_of([QUANTUM] * 8, "alone")
    batch = fill([crowd, [alone]], 8 * QUANTUM)
    assert batch.tokens_of(alone) == 4 * QUANTUM
    assert sum(map(batch.tokens_of, batch.parts)) == 8 * QUANTUM
    assert set(batch.parts) == {*crowd, alone}


def test_an_item_beyond_the_room_is_computed_alone() -> None:
    large, small = job_of([500], "a"), job_of([3], "b")
    batch = fill([[large], [small]], 100)
    assert list(batch.parts) == [large]
    assert list(fill([[small], [large]], 100).parts) == [small]


def test_another_number_of_answers_is_a_defect() -> None:
    class Losing(Doing):
        def run(self, items: Any, options: Any) -> list[int]:
            return super().run(items, options)[1:]

    job = job_of([1, 2], ability=Losing())
    with pytest.raises(AssertionError, match="1 answers to 2 items"):
        fill([[job]], 100).run()
    assert not job.is_done


COSTS = st.lists(st.integers(1, 700), min_size=1, max_size=40)


@given(
    st.lists(st.lists(COSTS, min_size=1, max_size=3), min_size=1, max_size=5), st.integers(1, 2000)
)
def test_every_item_is_computed_once_within_the_room(
    requests: list[list[list[int]]], room: int
) -> None:
    ability = Doing()
    queues = [
        [job_of(costs, str(client), ability) for costs in queue]
        for client, queue in enumerate(requests)
    ]
    sizes = drained([list(queue) for queue in queues], room)
    largest = max(cost for queue in requests for costs in queue for cost in costs)
    assert max(sizes) <= max(room, largest)
    for queue in queues:
        for job in queue:
            assert job.result == [2 * cost for cost in job.costs]
    computed = sorted(item for batch in ability.batches for item in batch)
    assert computed == sorted(cost for queue in requests for costs in queue for cost in costs)
