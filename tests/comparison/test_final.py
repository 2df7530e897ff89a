"""The answers to the test: once, by everybody, to the same rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foretext.comparison.candidate import Candidate
from foretext.comparison.final import Final, play_final
from foretext.comparison.ledger import Outcome, SeedOutcome
from foretext.comparison.rounds import Played
from foretext.comparison.shares import Shares
from foretext.comparison.turn import Comparing
from tests.comparison.conftest import BERT, GPT, LINEAR, Begin
from tests.comparison.fake_worker import Clock, FakeWorker

ROWS = 1000


def prepared(begin: Begin, worker: FakeWorker, **changes: object) -> tuple[Comparing, Shares]:
    """Return a comparison with a thousand test rows, and ten held-out ones."""
    comparing, shares = begin(worker, [LINEAR, BERT], **changes)
    rows = {"train": 9, "valid": 10, "test": ROWS}
    comparing = replace(comparing, plan=replace(comparing.plan, rows=rows))
    comparing.ledger.rows.mkdir(parents=True, exist_ok=True)
    for part, number in comparing.plan.rows.items():
        lines = [f'{{"text": "{place}"}}\n' for place in range(number)]
        comparing.ledger.rows_file(part).write_text("".join(lines))
    return comparing, shares


def played(*finalists: Candidate, row_seconds: float = 0.001, seeds: int = 1) -> Played:
    """Return what came of candidates that finished."""
    outcome = Outcome(
        status="finished",
        round=1,
        given=10.0,
        used=10.0,
        seeds=[SeedOutcome(seed, 0.5, 5.0) for seed in range(seeds)],
        row_seconds=row_seconds,
    )
    return Played({each.name: [outcome] for each in finalists}, list(finalists))


def final_of(comparing: Comparing, shares: Shares, turns: Played) -> Final:
    for each in turns.finalists:
        shares.keep_for_test(each.name, 5.0)
    return play_final(comparing, shares, turns)


def test_every_seed_of_every_finalist_answers_all_rows_once(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, shares = prepared(begin, worker, seeds=2)
    final = final_of(comparing, shares, played(LINEAR, BERT, seeds=2))
    assert [(kind, name) for kind, name in worker.asked] == [("answer", "linear")] * 2 + [
        ("answer", "bert")
    ] * 2
    assert {job.rows for job in worker.jobs} == {str(comparing.ledger.rows_file("test"))}
    assert [len(each) for each in final.answered.values()] == [2, 2]
    assert final.note is None
    assert final.rows == ROWS


def test_rows_that_are_too_many_for_the_time_are_sampled_for_everybody(
    begin: Begin, clock: Clock
) -> None:
    worker = FakeWorker(clock)
    comparing, shares = prepared(begin, worker)
    final = final_of(comparing, shares, played(LINEAR, BERT, row_seconds=0.1))
    sample = comparing.ledger.rows / "test-sample.jsonl"
    assert {job.rows for job in worker.jobs} == {str(sample)}
    assert 200 < final.rows < ROWS
    assert final.note is not None
    assert f"{final.rows:,} of 1,000 test rows are measured" in final.note
    lines = sample.read_text().splitlines()
    assert len(lines) == final.rows == len(set(lines))


def test_a_resume_measures_the_rows_that_were_chosen_at_first(begin: Begin, clock: Clock) -> None:
    first = final_of(*prepared(begin, FakeWorker(clock)), played(LINEAR, BERT, row_seconds=0.1))
    clock.now = 90.0
    again = FakeWorker(clock)
    second = final_of(*prepared(begin, again), played(LINEAR, BERT, row_seconds=0.1))
    assert second.rows == first.rows


def test_without_a_test_the_held_out_rows_are_answered(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, shares = prepared(begin, worker)
    rows = {"train": 9, "valid": 10, "test": 0}
    comparing = replace(comparing, plan=replace(comparing.plan, rows=rows))
    final = final_of(comparing, shares, played(LINEAR))
    assert [job.rows for job in worker.jobs] == [str(comparing.ledger.rows_file("valid"))]
    assert final.rows == 10


def test_a_model_that_cannot_answer_is_not_the_end(begin: Begin, clock: Clock) -> None:
    comparing, shares = prepared(begin, FakeWorker(clock, failing=frozenset({"linear"})))
    final = final_of(comparing, shares, played(LINEAR, GPT))
    assert final.failures == {"linear": "linear ran out of memory."}
    assert list(final.answered) == ["gpt"]
    assert not shares.tests


@pytest.mark.parametrize("row_seconds", [0.0, 0.001])
def test_no_finalist_is_no_answer(begin: Begin, clock: Clock, row_seconds: float) -> None:
    comparing, shares = prepared(begin, FakeWorker(clock))
    assert not final_of(comparing, shares, played(row_seconds=row_seconds)).answered
