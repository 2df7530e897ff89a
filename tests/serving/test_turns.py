"""Turns: each client has its own after at most one of every other client."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foretext.serving.pending import Pending
from foretext.serving.turns import Turns

LOOP = asyncio.new_event_loop()  # of futures that nobody awaits


class Waiting(Pending):
    """A request with a name and a key."""

    def __init__(self, client: str, key: Any = "same") -> None:
        super().__init__(client, 1, LOOP)
        self._key = key

    @property
    def key(self) -> Any:
        return self._key

    @property
    def ability(self) -> str:
        return "any"

    @property
    def can_be_dropped(self) -> bool:
        return self.is_gone


def everything(request: Waiting) -> bool:
    return True


def turns_of(*requests: Waiting) -> Turns[Waiting]:
    turns: Turns[Waiting] = Turns()
    for request in requests:
        turns.add(request)
    return turns


def test_requests_that_ask_the_same_share_a_turn() -> None:
    first, other, second = Waiting("a", 1), Waiting("a", 2), Waiting("b", 1)
    turns = turns_of(first, other, second)
    assert turns.next(everything) == [[first], [second]]
    assert (len(turns), turns.num_kinds) == (3, 2)


def test_after_their_turn_a_client_and_its_request_are_the_last() -> None:
    first, second, other = Waiting("a", 1), Waiting("a", 2), Waiting("b", 3)
    turns = turns_of(first, second, other)
    for expected in (first, other, second, other, first):
        ((request,),) = turns.next(everything)
        assert request is expected
        turns.rotate(request)


def test_who_has_left_has_no_turn() -> None:
    first, second = Waiting("a"), Waiting("b")
    turns = turns_of(first, second)
    first.is_gone = True
    assert turns.next(everything) == [[second]]
    assert len(turns) == 1
    second.is_gone = True
    assert turns.next(everything) == []
    assert len(turns) == 0


def test_who_is_not_ready_keeps_its_place() -> None:
    first, second = Waiting("a", 1), Waiting("b", 2)
    turns = turns_of(first, second)
    assert turns.next(lambda request: request is second) == [[second]]
    assert turns.next(everything) == [[first]]


def test_a_request_may_be_taken_out_twice() -> None:
    request = Waiting("a")
    turns = turns_of(request)
    turns.remove(request)
    turns.remove(request)
    assert len(turns) == 0


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), min_size=1, max_size=30))
def test_nobody_has_two_turns_while_another_waits_for_one(wanted: list[tuple[str, int]]) -> None:
    """Whatever waits: in any row of turns, the clients that always waited differ by one at most."""
    requests = [Waiting(client, (client, key)) for client, key in wanted]
    turns = turns_of(*requests)
    had: Counter[str] = Counter()
    clients = {client for client, _ in wanted}
    for _ in range(5 * len(clients)):
        queues = turns.next(everything)
        for queue in queues:
            for request in queue:
                turns.rotate(request)
        had[queues[0][0].client] += 1
        counts = [had[client] for client in clients]
        assert max(counts) - min(counts) <= 1
