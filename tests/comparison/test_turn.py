"""What a candidate does with its time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foretext.comparison.turn import Turn
from tests.comparison.conftest import BERT, LINEAR, Begin
from tests.comparison.fake_worker import Clock, FakeWorker


def test_what_pretraining_leaves_is_shared_by_the_seeds(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock, {"bert": 0.9})
    comparing, _ = begin(worker, [BERT], seeds=2)
    outcome = Turn(comparing, BERT, 1, 50.0).run()
    budgets = [job.budget for job in worker.jobs]
    assert budgets == [30.0, 10.0, 10.0]
    assert worker.jobs[0].settings == {"corpus": {"column": "body"}}
    assert worker.jobs[1].settings == {"rows": {"text": "body"}}
    assert worker.jobs[1].base == worker.jobs[0].out
    assert [job.seed for job in worker.jobs[1:]] == [0, 1]
    assert outcome.status == "finished"
    assert outcome.used == pytest.approx(50.0)
    assert (outcome.pretraining, outcome.finetuning) == pytest.approx((30.0, 20.0))
    assert outcome.score == pytest.approx(0.905)
    assert outcome.best_seed.seed == 1
    assert outcome.memory_bytes == 2000
    assert outcome.row_seconds == 0.001


def test_curves_count_from_the_beginning_of_the_turn(begin: Begin, clock: Clock) -> None:
    comparing, _ = begin(FakeWorker(clock, {"bert": 0.8}), [BERT])
    outcome = Turn(comparing, BERT, 1, 50.0).run()
    assert outcome.pretraining_curve == [(30.0, 2.5)]
    assert outcome.curve == [(30.0 + 10.0, 0.4)]


def test_what_learns_on_a_name_pretrains_nothing(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, _ = begin(worker, [LINEAR], seed=7)
    outcome = Turn(comparing, LINEAR, 1, 50.0).run()
    assert [(job.kind, job.base, job.seed) for job in worker.jobs] == [("finetune", "linear", 7)]
    assert outcome.pretraining == 0.0


def test_a_failure_is_an_outcome_with_its_sentence(begin: Begin, clock: Clock) -> None:
    comparing, _ = begin(FakeWorker(clock, failing=frozenset({"bert"})), [BERT])
    outcome = Turn(comparing, BERT, 1, 50.0).run()
    assert outcome.status == "failed"
    assert outcome.sentence == "bert ran out of memory."
    assert outcome.score is None
    assert outcome.used == 1.0


def test_a_share_that_is_too_short_is_not_called_a_budget(begin: Begin, clock: Clock) -> None:
    comparing, _ = begin(FakeWorker(clock, failing=frozenset({"bert"}), cause="short"), [BERT])
    sentence = Turn(comparing, BERT, 1, 50.0).run().sentence
    assert sentence is not None
    assert sentence.startswith("Its share of the time, 50 s, is too short; give a longer --budget")


def test_time_of_an_earlier_command_is_counted_once(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, _ = begin(worker, [LINEAR])
    reply = worker.run

    def kept_reply(job: object, *, limit: float | None = None) -> object:
        told = reply(job)
        clock.now -= told.seconds - 1.0  # of which this command took a second
        return told

    worker.run = kept_reply  # type: ignore[method-assign]
    Turn(comparing, replace(LINEAR), 1, 20.0).run()
    assert comparing.watch() == pytest.approx(20.0)
