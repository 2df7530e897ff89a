"""Who gets how much time, by a clock that the tests move."""

from __future__ import annotations

import pytest

from foretext.comparison.shares import (
    PACE_SECONDS,
    SLOWEST,
    Answering,
    Shares,
    Stopwatch,
    machine_pace,
)
from foretext.progress.budget import Budget


class Clock:
    """Shows what a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def shares_of(seconds: float, clock: Clock) -> Shares:
    return Shares(Budget(seconds, 0.0, clock))


def test_all_candidates_get_the_same_time_and_the_end_keeps_its_own(clock: Clock) -> None:
    shares = shares_of(100, clock)
    shares.begin_round(4, rounds=1)
    given = []
    while shares.turns:
        given.append(shares.next_share())
        clock.now += given[-1]
        shares.end_turn()
    assert given == pytest.approx([(100 - shares.writing) / 4] * 4)
    assert shares.budget.left == pytest.approx(shares.writing)


def test_time_that_a_candidate_does_not_use_goes_to_those_after_it(clock: Clock) -> None:
    shares = shares_of(100, clock)
    shares.begin_round(3, rounds=1)
    first = shares.next_share()
    clock.now += 1.0
    shares.end_turn()
    assert shares.next_share() == pytest.approx(first + (first - 1) / 2)


def test_time_that_a_candidate_takes_too_long_is_taken_from_all_after_it(clock: Clock) -> None:
    shares = shares_of(100, clock)
    shares.begin_round(3, rounds=1)
    first = shares.next_share()
    clock.now += first + 4
    shares.end_turn()
    assert shares.next_share() == pytest.approx(first - 2)


def test_every_round_has_as_much_time_as_the_first(clock: Clock) -> None:
    shares = shares_of(100, clock)
    whole = shares.left
    shares.begin_round(4, rounds=2)
    for _ in range(4):
        assert shares.next_share() == pytest.approx(whole / 2 / 4)
        clock.now += shares.next_share()
        shares.end_turn()
    shares.begin_round(2, rounds=1)
    assert shares.next_share() == pytest.approx(whole / 2 / 2)


def test_time_that_a_round_leaves_goes_to_the_later_ones(clock: Clock) -> None:
    shares = shares_of(100, clock)
    whole = shares.left
    shares.begin_round(1, rounds=3)
    clock.now += 1.0
    shares.end_turn()
    shares.begin_round(1, rounds=2)
    assert shares.next_share() == pytest.approx((whole - 1) / 2)


def test_no_share_is_below_nothing_when_the_time_is_over(clock: Clock) -> None:
    shares = shares_of(10, clock)
    shares.begin_round(2, rounds=1)
    clock.now = 50.0
    assert shares.next_share() == 0.0


def test_answers_to_the_test_have_their_time_kept_free(clock: Clock) -> None:
    shares = shares_of(100, clock)
    before = shares.left
    shares.keep_for_test("linear", 1.0)
    shares.keep_for_test("bert", 9.0)
    assert shares.left == pytest.approx(before - 10)
    clock.now = 100 - shares.writing - 10
    assert shares.next_test("linear") == pytest.approx(1.0)
    clock.now += 0.5
    assert shares.next_test("bert") == pytest.approx(9.5)
    assert not shares.tests


def test_answers_take_a_small_part_of_a_share() -> None:
    many = Answering(rows=1_000_000, seeds=2)
    assert many.seconds(60.0) == pytest.approx(9.0)
    assert many.seconds(60.0, row_seconds=0.1) == pytest.approx(9.0)


def test_answers_that_were_timed_are_given_what_they_need() -> None:
    rows = Answering(rows=1000, seeds=2)
    assert rows.seconds(600.0, row_seconds=0.001) == pytest.approx(2 * (0.6 + 1.2))
    fixed, each = rows.costs(row_seconds=0.001)
    assert fixed + 1000 * each == pytest.approx(rows.seconds(600.0, row_seconds=0.001))


def test_rows_longer_than_those_that_were_timed_take_longer() -> None:
    timed, longer = (Answering(rows=1000, row_length=length).costs(0.001) for length in (1.0, 1.5))
    assert longer == pytest.approx((timed[0], 1.5 * timed[1]))


def test_a_busy_machine_opens_models_twice_as_slowly_at_most() -> None:
    openings = [Answering(rows=1000, pace=pace).costs(0.001)[0] for pace in (1.0, 1.5, 4.0)]
    assert openings == pytest.approx([0.6, 0.9, 1.2])


def test_a_stopwatch_counts_what_earlier_commands_took(clock: Clock) -> None:
    clock.now = 1000.0
    watch = Stopwatch(1000.0, clock)
    clock.now = 1002.0
    watch.add(30.0)
    assert watch() == pytest.approx(32.0)


def test_a_busy_machine_has_more_time_kept_free(clock: Clock) -> None:
    usual, busy = shares_of(100, clock), Shares(Budget(100, 0.0, clock), pace=2.0)
    assert usual.writing < busy.writing < 2 * usual.writing
    assert Shares(Budget(100, 0.0, clock), pace=10.0).writing == 10.0


@pytest.mark.parametrize(
    ("slowness", "pace"), [(0.9, 1.0), (1.0, 1.0), (2.0, 2.0), (100.0, SLOWEST)]
)
def test_the_pace_is_the_time_by_that_of_the_work(
    monkeypatch: pytest.MonkeyPatch, slowness: float, pace: float
) -> None:
    work = Clock()

    def thread_time() -> float:
        work.now += 0.125
        return work.now

    monkeypatch.setattr("time.thread_time", thread_time)
    monkeypatch.setattr("time.monotonic", lambda: slowness * PACE_SECONDS * (work.now > 0.125))
    assert machine_pace() == pytest.approx(pace)
