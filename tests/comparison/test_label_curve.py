"""Candidates at several numbers of labels: who learns from what, what is kept, what is shown."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import Interrupted, SettingError
from foretext.comparison.candidate import Candidate
from foretext.comparison.comparison import Comparison, results_csv
from foretext.comparison.figures import comparison_content
from foretext.comparison.final import decide_measured, play_final
from foretext.comparison.label_curve import curve_content, curve_lines
from foretext.comparison.label_scores import MeasuredCell
from foretext.comparison.rounds import Played, play_rounds
from foretext.comparison.shares import Shares
from foretext.comparison.turn import Comparing, Turn
from foretext.comparison.worker import Finetune, JobFailed, Pretrain
from foretext.report.comparison_files import read_comparison
from tests.comparison.compared import answered, rights
from tests.comparison.conftest import BERT, LINEAR, Begin
from tests.comparison.fake_worker import Clock, FakeWorker
from tests.comparison.test_rounds import ignore
from tests.comparison.test_run import Worker, asked, run

LABELS = [20, 50, 80]


def numbered(begin: Begin, worker: FakeWorker, **changes: Any) -> tuple[Comparing, Shares]:
    """Return a comparison with numbers of labels, whose test rows are there."""
    candidates = changes.pop("candidates", [LINEAR, BERT])
    labels = changes.pop("labels", LABELS)
    comparing, shares = begin(worker, candidates, draws=2, **changes)
    comparing.plan.labels.extend(labels)
    comparing.ledger.rows.mkdir(parents=True, exist_ok=True)
    comparing.ledger.rows_file("test").write_text('{"text": "a", "label": "b"}\n' * 10)
    decide_measured(comparing)
    return comparing, shares


def content_of(comparing: Comparing, shares: Shares, played: Played) -> dict[str, Any]:
    final = play_final(comparing, shares, played)
    return comparison_content(
        comparing.ledger, comparing.plan, played, final.answered, used_seconds=9.0
    )


def finetunings(worker: FakeWorker, name: str) -> list[Finetune]:
    return [job for job in worker.jobs if isinstance(job, Finetune) and f"/{name}/" in job.out]


def test_pretraining_is_done_once_and_every_cell_learns_from_its_draw(
    begin: Begin, clock: Clock
) -> None:
    worker = FakeWorker(clock)
    comparing, _ = numbered(begin, worker)
    outcome = Turn(comparing, BERT, 1, 50.0).run()
    assert sum(isinstance(job, Pretrain) for job in worker.jobs) == 1
    jobs = finetunings(worker, "bert")
    assert [Path(job.train).stem for job in jobs] == [
        "train-20-draw-0", "train-20-draw-1", "train-50-draw-0", "train-50-draw-1", "train",
    ]  # fmt: skip
    assert [job.seed for job in jobs] == [0, 1, 0, 1, 0]
    assert all(job.holds_out for job in jobs)
    assert [job.is_kept for job in jobs] == [False] * 4 + [True]
    assert [Path(job.valid).stem for job in jobs] == ["test"] * 4 + ["valid"]
    assert [(each.labels, each.draw) for each in outcome.cells] == [
        (20, 0), (20, 1), (50, 0), (50, 1),
    ]  # fmt: skip
    assert len(outcome.seeds) == 1
    assert outcome.status == "finished"


def test_cells_share_the_time_by_the_roots_of_their_labels(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, _ = numbered(begin, worker, candidates=[LINEAR], labels=[20, 80])
    outcome = Turn(comparing, LINEAR, 1, 80.0).run()
    budgets = [job.budget or 0.0 for job in worker.jobs]
    assert budgets[0] == pytest.approx(20.0 - 10 * 0.005)  # of 80 s, by 0.5 of 2; answers aside
    assert budgets[2] == pytest.approx(40.0, rel=0.01)
    assert outcome.used == pytest.approx(80.0, abs=0.1)
    assert outcome.finetuning == outcome.used


def test_a_cell_that_fails_is_written_down_and_the_others_go_on(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)

    def fail(job: Any) -> None:
        if "train-20" in str(vars(job).get("train")):
            raise JobFailed("20 rows show one label alone.", "refused", 1.5)

    worker.before = fail
    comparing, shares = numbered(begin, worker)
    played = play_rounds(comparing, shares, ignore)
    outcome = played.history["bert"][0]
    assert [each.score for each in outcome.cells][:2] == [None, None]
    assert outcome.cells[0].sentence == "20 rows show one label alone."
    assert outcome.cells[0].seconds == 1.5
    assert outcome.score is not None
    curve = content_of(comparing, shares, played)["label_curve"]
    assert curve["labels"] == [50, 80]
    assert any("bert with 20 labels, draw 1: 20 rows" in line for line in said_of(curve))


def said_of(curve: dict[str, Any]) -> list[str]:
    return curve_lines(curve, "accuracy")


def test_the_file_has_every_cell_and_the_page_reads_it(
    begin: Begin, clock: Clock, tmp_path: Path
) -> None:
    worker = FakeWorker(clock, {"linear": 0.5, "bert": 0.5})
    comparing, shares = numbered(begin, worker)
    content = content_of(comparing, shares, play_rounds(comparing, shares, ignore))
    curve = content["label_curve"]
    assert curve["labels"] == LABELS
    assert curve["is_every_row"]
    assert curve["measured_rows"] == 10
    assert len(curve["cells"]) == 2 * 5
    assert [len(line["points"]) for line in curve["lines"]] == [3, 3]
    assert curve["lines"][0]["points"][0]["draws"] == 2
    assert curve["lines"][0]["points"][2]["draws"] == 1
    assert curve["sentence"].startswith("Use linear with any number of labels from 20 to 80")
    (tmp_path / "compare.json").write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    assert read_comparison(tmp_path)["label_curve"] == curve
    rows = list(csv.DictReader(io.StringIO(results_csv(content))))
    assert [row["labels"] for row in rows if row["method"] == "bert"] == ["20", "20", "50", "50",
                                                                         "80"]  # fmt: skip
    head, linear, *_ = said_of(curve)
    assert head.split()[-3:] == ["20", "50", "80"]
    assert linear.startswith("linear")
    assert "*" in linear


@pytest.mark.parametrize("stop_at", range(1, 12, 2))
def test_a_resume_gives_the_same_curve_and_learns_nothing_twice(
    begin: Begin, clock: Clock, stop_at: int
) -> None:
    def played_with(worker: FakeWorker, folder: str) -> dict[str, Any]:
        comparing, shares = numbered(begin, worker, folder=folder)
        played = play_rounds(comparing, shares, ignore)
        return content_of(comparing, shares, played)

    whole = played_with(FakeWorker(Clock()), "whole")
    first = FakeWorker(clock)

    def stop(job: Any) -> None:
        if len(first.jobs) == stop_at:
            raise Interrupted("stopped")

    first.before = stop
    with pytest.raises(Interrupted):
        played_with(first, "again")
    again = played_with(FakeWorker(clock), "again")
    for name in ("lines", "sentence", "cells"):
        assert again["label_curve"][name] == whole["label_curve"][name]


def test_the_same_draws_for_all_and_a_largest_number_that_is_not_all_rows(
    begin: Begin, clock: Clock
) -> None:
    worker = FakeWorker(clock)
    comparing, shares = numbered(begin, worker, labels=[20, 50])
    played = play_rounds(comparing, shares, ignore)
    files = [[Path(job.train).stem for job in finetunings(worker, name)] for name in
             ("linear", "bert")]  # fmt: skip
    assert files[0] == files[1]
    assert files[0][-2:] == ["train-50-draw-0", "train-50-draw-1"]
    content = content_of(comparing, shares, played)
    assert content["seeds"] == [0, 1]
    assert not content["label_curve"]["is_every_row"]
    answers = [job for job in worker.jobs if job.kind == "answer"]
    assert [Path(job.train).stem for job in answers] == files[0][-2:] * 2


def test_labels_and_rounds_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--labels and --rounds do not go together"):
        asked(tmp_path, labels=(20, "all"), rounds=2)
    with pytest.raises(SettingError, match="--draws 0"):
        asked(tmp_path, labels=(20, "all"), draws=0)


def test_a_plain_comparison_has_no_curve(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock)
    comparing, shares = begin(worker, [LINEAR])
    comparing.ledger.rows.mkdir(parents=True)
    comparing.ledger.rows_file("test").write_text('{"text": "a"}\n' * 10)
    decide_measured(comparing)
    assert comparing.ledger.num_measured is None
    content = content_of(comparing, shares, play_rounds(comparing, shares, ignore))
    assert content["label_curve"] is None
    assert "labels" not in results_csv(content).splitlines()[0]
    assert not any(job.holds_out for job in finetunings(worker, "linear"))


def test_learners_of_a_moment_have_a_curve(tmp_path: Path) -> None:
    out = tmp_path / "out"
    request = asked(tmp_path, labels=(6, 12, "all"), draws=2, only=("linear",), settings={})
    found = run(request, out, Worker())
    curve = found.label_curve
    assert curve is not None
    assert curve["labels"] == [6, 12, found.content["rows"]["train"]]
    assert [len(each["points"]) for each in curve["lines"]] == [3]
    assert len(curve["cells"]) == 5
    turn = out / "candidates" / "linear" / "round-1"
    assert not list(turn.rglob("draw-*-run"))  # their models are not kept
    assert (turn / "labels-6" / "draw-1" / "answers.json").is_file()
    assert list(found.best.predictions(["ship wave sail"], k=1))
    assert Comparison.load(out).label_curve == curve
    assert "By number of labels" in (out / "report.html").read_text(encoding="utf-8")
    texts = (out / "rows" / "train-12-draw-0.jsonl").read_text(encoding="utf-8")
    few = (out / "rows" / "train-6-draw-0.jsonl").read_text(encoding="utf-8")
    assert set(few.splitlines()) < set(texts.splitlines())


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("stop_at", [2, 1, 4, 5])
def test_a_stopped_curve_goes_on_to_the_same_figures(tmp_path: Path, stop_at: int) -> None:
    request = asked(tmp_path, labels=(6, 12, "all"), draws=2, only=("linear",), settings={})
    whole = run(request, tmp_path / "whole", Worker()).label_curve
    out = tmp_path / "out"
    with pytest.raises(Interrupted):
        run(request, out, Worker(stop_at))
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("draw-*/answers.json")}
    assert len(kept) == min(stop_at, 4)
    again = run(request, out, Worker(), resume=True).label_curve
    assert again is not None
    assert whole is not None
    assert again["lines"] == whole["lines"]
    assert {path: path.stat().st_mtime_ns for path in kept} == kept  # nothing is learned twice


@pytest.mark.slow
def test_pretrained_vectors_learn_from_few_labels_of_chinese_text(tmp_path: Path) -> None:
    """The whole road with a network: word vectors of all texts, few of which have labels."""
    train = tmp_path / "train.tsv"
    subjects = {"海": "船在海浪中航行回到港口", "法": "法官在法庭上宣读判决和法律"}
    lines = [
        f"{label}\t{text[: 4 + number % 5]}第{number}次{text}"
        for number in range(60)
        for label, text in subjects.items()
    ]
    train.write_text("\n".join(["label\ttext", *lines]), encoding="utf-8")
    found = ft.compare(
        "classification", train, tmp_path / "out", budget="40s", labels="8,24,all", draws=2,
        only=["linear", "word2vec + textcnn"], quiet=True,
    )  # fmt: skip
    curve = found.label_curve
    assert curve is not None
    assert [line["name"] for line in curve["lines"]] == ["linear", "word2vec + textcnn"]
    assert [len(line["points"]) for line in curve["lines"]] == [3, 3]
    assert not [cell for cell in curve["cells"] if cell["sentence"]]
    assert found.content["used_seconds"] < 60


def test_a_number_above_the_rows_becomes_all_rows_with_a_note(tmp_path: Path) -> None:
    request = asked(tmp_path, labels=(6, 5000), draws=2, only=("linear",), settings={})
    found = run(request, tmp_path / "out", Worker())
    assert found.label_curve is not None
    assert found.label_curve["labels"] == [6, found.content["rows"]["train"]]
    assert any("5,000 labels are more than the" in note for note in found.content["notes"])


def test_a_candidate_without_cells_is_left_out_of_the_curve(begin: Begin, clock: Clock) -> None:
    worker = FakeWorker(clock, failing=frozenset({"bert"}))
    comparing, shares = numbered(begin, worker)
    content = content_of(comparing, shares, play_rounds(comparing, shares, ignore))
    assert [line["name"] for line in content["label_curve"]["lines"]] == ["linear"]
    other = Candidate("gpt", "gpt")
    comparing, shares = numbered(
        begin, FakeWorker(clock, failing=frozenset({"gpt"})), candidates=[other], folder="none"
    )
    played = play_rounds(comparing, shares, ignore)
    assert content_of(comparing, shares, played)["label_curve"] is None


def test_a_crossing_is_in_the_file_as_the_sentence_says_it() -> None:
    right = {"vectors": {20: 300, 500: 320}, "linear": {20: 150, 500: 370}}  # of 400 rows
    cells = [
        MeasuredCell(name, labels, draw, answered(rights(number + draw, 400)).kept)
        for name, numbers in right.items()
        for labels, number in numbers.items()
        for draw in range(3)
    ]
    content = curve_content(cells, dict.fromkeys(right, "vectors"), "accuracy", is_every_row=True)
    assert content is not None
    crossing = content["crossing"]
    assert (crossing["few"], crossing["many"]) == ("vectors", "linear")
    assert (crossing["low"], crossing["high"]) == (20, 500)
    assert f"fewer than about {crossing['about']:,} labels use vectors" in content["sentence"]
