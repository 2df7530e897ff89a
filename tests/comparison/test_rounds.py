"""Successive halving, what is kept of it, and what a resume does not do again."""

from __future__ import annotations

import pytest

from foretext.base.errors import Interrupted
from foretext.comparison.candidate import Candidate
from foretext.comparison.ledger import Outcome, SeedOutcome
from foretext.comparison.rounds import by_need, play_rounds, survivors
from foretext.comparison.shares import Shares
from foretext.comparison.turn import Comparing
from tests.comparison.conftest import BERT, GPT, LINEAR, TEXTCNN, Begin
from tests.comparison.fake_worker import Clock, FakeWorker

ALL = [LINEAR, TEXTCNN, BERT, GPT]
SCORES = {"linear": 0.8, "textcnn": 0.6, "bert": 0.9, "gpt": 0.7}


def ignore(candidate: Candidate, outcome: Outcome, shares: Shares) -> None:
    """Tell nobody."""


def used(comparing: Comparing, shares: Shares) -> dict[str, list[float]]:
    played = play_rounds(comparing, shares, ignore)
    return {name: [each.used for each in outcomes] for name, outcomes in played.history.items()}


def test_those_that_need_least_come_first() -> None:
    assert by_need([GPT, BERT, TEXTCNN, LINEAR]) == [LINEAR, TEXTCNN, GPT, BERT]


def test_the_better_half_goes_on_and_failures_do_not() -> None:
    def outcome(score: float) -> list[Outcome]:
        seeds = [SeedOutcome(0, score, 1.0)]
        return [Outcome(status="finished", round=1, given=1.0, used=1.0, seeds=seeds)]

    failed = [Outcome(status="failed", round=1, given=1.0, used=1.0)]
    history = {"linear": outcome(0.5), "textcnn": failed, "bert": outcome(0.9)}
    history["gpt"] = outcome(0.5)
    assert survivors(ALL, history) == [LINEAR, BERT]
    assert survivors([TEXTCNN], history) == []


def test_one_round_gives_everybody_the_same(begin: Begin, clock: Clock) -> None:
    comparing, shares = begin(FakeWorker(clock, SCORES), [TEXTCNN, BERT, GPT])
    found = used(comparing, shares)
    each = [seconds for (seconds,) in found.values()]
    assert each == pytest.approx([each[0]] * 3, rel=0.02)
    assert sum(each) + sum(shares.tests.values()) == pytest.approx(100 - shares.writing, rel=0.01)


def test_what_a_quick_one_leaves_goes_to_the_others(begin: Begin, clock: Clock) -> None:
    comparing, shares = begin(FakeWorker(clock, SCORES, quick={"linear": 1.0}), [LINEAR, BERT, GPT])
    found = used(comparing, shares)
    assert found["linear"] == [1.0]
    assert found["bert"][0] == pytest.approx(found["gpt"][0], rel=0.02)
    assert found["bert"][0] > 40


def test_later_rounds_keep_the_better_half_and_give_it_twice_the_time(
    begin: Begin, clock: Clock
) -> None:
    comparing, shares = begin(FakeWorker(clock, SCORES), ALL, seconds=400.0, rounds=2)
    found = used(comparing, shares)
    assert [len(each) for each in found.values()] == [2, 1, 2, 1]
    assert found["bert"][1] == pytest.approx(2 * found["bert"][0], rel=0.05)
    assert set(shares.tests) == {"linear", "bert"}


def test_what_had_more_time_than_it_could_use_is_not_trained_again(
    begin: Begin, clock: Clock
) -> None:
    worker = FakeWorker(clock, SCORES, quick={"linear": 1.0})
    comparing, shares = begin(worker, ALL, seconds=400.0, rounds=2)
    played = play_rounds(comparing, shares, ignore)
    assert [len(each) for each in played.history.values()] == [1, 1, 2, 2]
    assert played.finalists == [LINEAR, BERT, GPT]
    assert set(shares.tests) == {"linear", "bert", "gpt"}


def test_the_better_half_is_that_of_those_that_can_use_more_time(
    begin: Begin, clock: Clock
) -> None:
    scores = {"linear": 0.9, "textcnn": 0.8, "bert": 0.5, "gpt": 0.4}
    worker = FakeWorker(clock, scores, quick={"linear": 1.0, "textcnn": 2.0})
    comparing, shares = begin(worker, ALL, seconds=400.0, rounds=2)
    played = play_rounds(comparing, shares, ignore)
    assert played.finalists == [LINEAR, TEXTCNN, BERT]
    assert played.history["bert"][1].used > 150


def test_a_candidate_that_fails_is_not_the_end(begin: Begin, clock: Clock) -> None:
    comparing, shares = begin(FakeWorker(clock, SCORES, failing=frozenset({"bert"})), ALL)
    played = play_rounds(comparing, shares, ignore)
    assert played.history["bert"][0].sentence == "bert ran out of memory."
    assert played.finalists == [LINEAR, TEXTCNN, GPT]
    assert "bert" not in shares.tests


@pytest.mark.parametrize("stopped_at", range(9))
def test_a_resume_gives_the_same_times_wherever_it_was_stopped(
    begin: Begin, clock: Clock, stopped_at: int
) -> None:
    whole = used(*begin(FakeWorker(Clock(), SCORES), ALL, rounds=2, folder="whole"))
    worker = FakeWorker(clock, SCORES)

    def stop(job: object) -> None:
        if len(worker.jobs) == stopped_at:
            raise Interrupted("stopped")

    worker.before = stop
    with pytest.raises(Interrupted):
        used(*begin(worker, ALL, rounds=2))
    resumed = used(*begin(FakeWorker(Clock(), SCORES), ALL, rounds=2))
    assert resumed.keys() == whole.keys()
    for name, seconds in resumed.items():
        assert seconds == pytest.approx(whole[name], rel=0.01)
