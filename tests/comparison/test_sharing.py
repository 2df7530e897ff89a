"""What pretrainings have in common is made once."""

from __future__ import annotations

from typing import Any

from foretext.comparison.rounds import play_rounds
from foretext.comparison.sharing import share_work, shared_work
from foretext.comparison.worker import JobFailed, Prepare, Pretrain
from foretext.pretraining.shared import SharedFolder
from foretext.run_folder import RunFolder
from tests.comparison.conftest import BERT, GPT, LINEAR, TEXTCNN, Begin
from tests.comparison.fake_worker import Clock, FakeWorker
from tests.comparison.test_rounds import ignore


def test_it_is_made_before_the_first_turn_and_all_read_the_same(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    contest, shares = begin(worker, [LINEAR, BERT, GPT])
    contest = share_work(contest)
    play_rounds(contest, shares, ignore)
    first, *others = worker.jobs
    assert isinstance(first, Prepare)
    settings = {"corpus": {"column": "body"}}
    assert first.recipes == (("bert", settings), ("gpt", settings))
    assert first.budget == 10.0
    pretrained = [job for job in others if isinstance(job, Pretrain)]
    assert [(job.text_bytes, job.shared, job.settings) for job in pretrained] == [
        (5000, first.out, settings)
    ] * 2
    assert any("50% of the corpus is read" in note for note in contest.notes)


def test_without_a_pretraining_there_is_nothing_to_share(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    contest, _ = begin(worker, [LINEAR, TEXTCNN])
    assert share_work(contest) is contest
    assert not worker.jobs


def test_where_it_fails_candidates_do_it_themselves(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)

    def fail(job: Any) -> None:
        if isinstance(job, Prepare):
            raise JobFailed("no tokenizer can be learned.", "refused", 1.0)

    worker.before = fail
    contest, shares = begin(worker, [BERT])
    contest = share_work(contest)
    assert any("no tokenizer can be learned" in note for note in contest.notes)
    played = play_rounds(contest, shares, ignore)
    assert played.finalists == [BERT]
    assert worker.jobs[0].text_bytes is None


def test_what_was_shared_says_whom_it_served(begin: Begin, clock: Clock) -> None:
    contest, shares = begin(FakeWorker(clock), [BERT, GPT])
    folder = SharedFolder(contest.ledger.shared)
    folder.part("tokenizers", ["one"], lambda path: None)
    for candidate in (BERT, GPT):
        base = contest.ledger.base(candidate, 1)
        base.mkdir(parents=True)
        folder.keep_used(RunFolder(base))
    played = play_rounds(contest, shares, ignore)
    (part,) = shared_work(contest, played)
    assert part["what"] == "tokenizers"
    assert part["candidates"] == ["bert", "gpt"]
