"""The whole road, with learners of a moment."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, Interrupted, OutputError, SettingError
from foretext.base.parsing import read_toml
from foretext.comparison.comparison import Comparison
from foretext.comparison.local_worker import LocalWorker
from foretext.comparison.request import CompareRequest
from foretext.comparison.rounds import play_rounds
from foretext.comparison.rows import read_rows
from foretext.comparison.run import name_given_rows, run_comparison, share_work, shared_work
from foretext.comparison.worker import Answer, JobFailed, Prepare, Pretrain
from foretext.pretraining.shared import SharedFolder
from foretext.run_folder import RunFolder
from foretext.tasks.classification.linear import LinearClassifier
from tests.comparison.conftest import BERT, GPT, LINEAR, TEXTCNN, Begin
from tests.comparison.fake_worker import Clock, FakeWorker
from tests.comparison.test_preparing import write_rows
from tests.comparison.test_rounds import ignore

FILES = {"plan.json", "compare.json", "results.csv", "report.html", "best", "candidates", "rows"}


class Worker(LocalWorker):
    """Fails or stops where a test says so."""

    def __init__(self, stop_at: int | None = None, failing: str = "") -> None:
        self.jobs: list[Any] = []
        self.stop_at = stop_at
        self.failing = failing

    def run(self, job: Any, *, limit: float | None = None) -> Any:
        """Do a job."""
        if len(self.jobs) == self.stop_at:
            raise Interrupted("stopped")
        self.jobs.append(job)
        if self.failing and self.failing in job.out:
            raise JobFailed("The process was killed.", "died", 0.5)
        return super().run(job, limit=limit)


def asked(tmp_path: Path, **changes: Any) -> CompareRequest:
    given = {
        "task": "classification",
        "train": write_rows(tmp_path / "train.txt", 20),
        "test": write_rows(tmp_path / "test.txt", 5, first=100),
        "budget_seconds": 600.0,
        "only": ("linear", "fasttext"),
        "settings": {"fasttext": {"classifier": {"epochs": 2, "dim": 4}}},
    }
    return CompareRequest(**{**given, **changes})


def run(request: CompareRequest, out: Path, worker: Worker, **options: Any) -> Comparison:
    return run_comparison(request, out, quiet=True, worker=worker, **options)


def test_a_comparison_ends_in_a_table_a_page_and_a_model(tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = run(asked(tmp_path), out, Worker())
    assert {path.name for path in out.iterdir()} >= FILES
    assert {row["name"] for row in found.table} == {"linear", "fasttext"}
    assert found.content["rows"]["test"] == 10
    assert found.content["part"] == "test"
    assert 0 < found.content["used_seconds"] < 600
    assert list(found.best.predictions(["ship wave sail"], k=1))
    assert Comparison.load(out).table == found.table
    with (out / "results.csv").open(newline="") as file:
        assert {row["method"] for row in csv.DictReader(file)} == {"linear", "fasttext"}


@pytest.mark.slow
def test_the_test_is_answered_after_the_last_training(tmp_path: Path) -> None:
    worker = Worker()
    run(asked(tmp_path), tmp_path / "out", worker)
    assert [job.kind for job in worker.jobs] == ["finetune", "finetune", "answer", "answer"]
    test = str(tmp_path / "out" / "rows" / "test.jsonl")
    assert [test in str(vars(job)) for job in worker.jobs] == [False, False, True, True]


def test_a_candidate_that_fails_is_a_row_with_its_sentence(tmp_path: Path) -> None:
    found = run(asked(tmp_path), tmp_path / "out", Worker(failing="fasttext"))
    rows = {each["name"]: each for each in found.content["candidates"]}
    assert rows["fasttext"]["status"] == "failed"
    assert rows["fasttext"]["sentence"] == "The process was killed."
    assert rows["linear"]["status"] == "finished"


def test_where_all_fail_the_table_says_why_and_there_is_no_model(tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = run(asked(tmp_path), out, Worker(failing="candidates"))
    assert found.recommendation is None
    assert not (out / "best").exists()
    assert (out / "compare.json").is_file()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("stop_at", range(4))
def test_a_resumed_comparison_does_nothing_twice(tmp_path: Path, stop_at: int) -> None:
    out, request = tmp_path / "out", asked(tmp_path)
    first, second = Worker(stop_at), Worker()
    with pytest.raises(Interrupted):
        run(request, out, first)
    found = run(request, out, second, resume=True)
    assert {row["name"] for row in found.table} == {"linear", "fasttext"}
    learned = [job.out for job in [*first.jobs, *second.jobs] if not isinstance(job, Answer)]
    assert len(learned) == len(set(learned)) == 2


def test_a_resume_with_another_request_is_refused(tmp_path: Path) -> None:
    out, request = tmp_path / "out", asked(tmp_path)
    with pytest.raises(Interrupted):
        run(request, out, Worker(stop_at=1))
    with pytest.raises(SettingError, match="began with seeds = 1, not 2"):
        run(replace(request, seeds=2), out, Worker(), resume=True)


def test_bad_rows_leave_no_folder(tmp_path: Path) -> None:
    train = tmp_path / "one.txt"
    train.write_text("sea\ta ship\n" * 40)
    with pytest.raises(CorpusError):
        run(asked(tmp_path, train=str(train)), tmp_path / "out", Worker())
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_finished_comparison_is_replaced_when_the_new_one_is_finished(tmp_path: Path) -> None:
    out, request = tmp_path / "out", asked(tmp_path, only=("linear",), settings={})
    run(request, out, Worker())
    with pytest.raises(OutputError, match="--overwrite"):
        run(request, out, Worker())
    with pytest.raises(Interrupted):
        run(request, out, Worker(stop_at=1), overwrite=True)
    assert (out / "compare.json").is_file()
    found = run(request, out, Worker(), resume=True)
    assert found.folder == out
    assert not (out / "replacement").exists()
    assert list(found.best.predictions(["ship wave sail"], k=1))


def test_the_best_model_reads_the_files_of_the_user(tmp_path: Path) -> None:
    table = tmp_path / "train.csv"
    lines = [f"{'good' if n % 2 else 'bad'} thing {n},{n % 2}\n" for n in range(40)]
    table.write_text("review,stars\n" + "".join(lines))
    columns = {"text": "review", "label": "stars"}
    rows = read_rows("classification", {"train": table}, columns)
    files = rows.write(tmp_path / "rows")
    run = tmp_path / "run"
    ft.finetune(
        "classification",
        "linear",
        files["train"],
        run,
        valid=files["valid"],
        settings={"rows": rows.settings},
        quiet=True,
    )
    request = CompareRequest(
        task="classification", train=str(table), budget_seconds=9.0, rows=columns
    )
    name_given_rows(run, request)
    recipe = read_toml(run / "recipe.toml", SettingError)
    assert recipe["run"]["train"] == str(table)
    assert "valid" not in recipe["run"]
    assert (recipe["rows"]["text"], recipe["rows"]["label"]) == ("review", "stars")
    model = ft.load(run, LinearClassifier)
    assert model.evaluate(table)["accuracy"] > 0.9
    (first, *_) = model.inputs(table)
    assert first.texts == ("bad thing 0",)


def test_it_is_made_before_the_first_turn_and_all_read_the_same(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, shares = begin(worker, [LINEAR, BERT, GPT])
    comparing = share_work(comparing)
    play_rounds(comparing, shares, ignore)
    first, *others = worker.jobs
    assert isinstance(first, Prepare)
    settings = {"corpus": {"column": "body"}}
    assert first.recipes == (("bert", settings), ("gpt", settings))
    assert first.budget == 10.0
    pretrained = [job for job in others if isinstance(job, Pretrain)]
    assert [(job.text_bytes, job.shared, job.settings) for job in pretrained] == [
        (5000, first.out, settings)
    ] * 2
    assert any("50% of the corpus is read" in note for note in comparing.notes)


def test_without_a_pretraining_there_is_nothing_to_share(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, _ = begin(worker, [LINEAR, TEXTCNN])
    assert share_work(comparing) is comparing
    assert not worker.jobs


def test_where_it_fails_candidates_do_it_themselves(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)

    def fail(job: Any) -> None:
        if isinstance(job, Prepare):
            raise JobFailed("no tokenizer can be learned.", "refused", 1.0)

    worker.before = fail
    comparing, shares = begin(worker, [BERT])
    comparing = share_work(comparing)
    assert any("no tokenizer can be learned" in note for note in comparing.notes)
    played = play_rounds(comparing, shares, ignore)
    assert played.finalists == [BERT]
    assert worker.jobs[0].text_bytes is None


def test_what_was_shared_says_whom_it_served(begin: Begin, clock: Clock) -> None:
    comparing, shares = begin(FakeWorker(clock), [BERT, GPT])
    folder = SharedFolder(comparing.ledger.shared)
    folder.part("tokenizers", ["one"], lambda path: None)
    for candidate in (BERT, GPT):
        base = comparing.ledger.base(candidate, 1)
        base.mkdir(parents=True)
        folder.keep_used(RunFolder(base))
    played = play_rounds(comparing, shares, ignore)
    (part,) = shared_work(comparing, played)
    assert part["what"] == "tokenizers"
    assert part["candidates"] == ["bert", "gpt"]
