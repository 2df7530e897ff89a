"""Admission: so many tokens and so much time, and when to ask again."""

from __future__ import annotations

import asyncio

import pytest

from foretext.serving.admission import LONGEST_WAIT, Admission
from foretext.serving.errors import CannotServe, Full
from foretext.serving.job import Job
from foretext.serving.pace import Pace
from foretext.serving.settings import ServingConfig
from tests.serving.doing import Doing

LOOP = asyncio.new_event_loop()
DOING = Doing()


def job_of(*costs: int) -> Job:
    return Job("a", DOING, None, costs, LOOP)


def admission(rate: int = 1000, **settings: float) -> Admission:
    pace = Pace()
    pace.observe(DOING, 100 * rate, 100.0)
    return Admission(ServingConfig(**settings), pace)


def test_tokens_beyond_the_limit_are_refused_until_there_is_room() -> None:
    door = admission(max_tokens=100)
    first = job_of(60)
    door.enter(first)
    with pytest.raises(Full, match="it answers requests of 60 tokens"):
        door.enter(job_of(50))
    door.enter(job_of(40))
    door.leave(first)
    door.enter(job_of(50))
    assert (door.num_requests, door.num_tokens) == (2, 90)


def test_a_request_larger_than_the_limit_is_taken_on_alone() -> None:
    door = admission(max_tokens=100)
    door.enter(job_of(5000))
    with pytest.raises(Full):
        door.enter(job_of(1))


def test_a_request_that_is_too_large_for_any_time_is_refused_for_good() -> None:
    door = admission(max_request_tokens=100)
    door.enter(job_of(100))
    with pytest.raises(CannotServe, match="about 101 tokens, and this server takes 100"):
        door.enter(job_of(100, 1))


def test_who_would_wait_too_long_is_refused_at_once() -> None:
    door = admission(max_wait=5.0)
    for _ in range(6):
        door.enter(job_of(1000))
    with pytest.raises(Full, match="would wait for about 6 seconds") as refused:
        door.enter(job_of(1000))
    assert refused.value.retry_after == pytest.approx(6.0)


def test_a_short_request_does_not_wait_for_the_whole_of_a_long_one() -> None:
    door = admission(max_wait=1.0)
    door.enter(job_of(50_000))
    for _ in range(3):
        door.enter(job_of(200))


def test_a_long_request_may_wait_as_long_as_it_takes_itself() -> None:
    door = admission(max_wait=1.0)
    door.enter(job_of(20_000))
    door.enter(job_of(20_000))
    with pytest.raises(Full):
        door.enter(job_of(20_000))


def test_what_could_not_end_in_time_is_not_begun() -> None:
    door = admission(max_wait=1.0, max_seconds=30.0)
    door.enter(job_of(20_000))
    with pytest.raises(Full):
        door.enter(job_of(20_000))


def test_the_wait_is_what_is_left_to_compute() -> None:
    door = admission()
    job = job_of(4000, 6000)
    door.enter(job)
    assert door.retry_after == pytest.approx(10.0)
    door.computed(job, 4000)
    assert door.retry_after == pytest.approx(6.0)
    door.leave(job)
    assert door.seconds_left == 0.0
    assert door.retry_after == 1.0


def test_what_is_computed_for_nobody_frees_nothing_twice() -> None:
    door = admission()
    job = job_of(4000)
    door.enter(job)
    door.leave(job)
    door.computed(job, 4000)
    assert door.seconds_left == 0.0


def test_nobody_is_sent_away_for_hours() -> None:
    door = admission(rate=1)
    door.enter(job_of(100_000))
    assert door.retry_after == LONGEST_WAIT
