"""Answers to rows, kept for the comparison of models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.comparison.answers import KeptAnswers, agreement, disagreements
from foretext.comparison.baseline_run import BaselineRun
from foretext.metrics.paired import rank_tallies, share_tallies
from tests.comparison.compared import answered
from tests.task_files import TaskFiles, write_task_files

TASKS = ("classification", "matching", "tagging", "span_qa", "text_to_text")

A = answered([True, True, True, False, True, False]).kept
B = answered([True, False, True, False, False, True]).kept
C = answered([True, False, False, False, False, True]).kept


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("task", TASKS)
def test_answers_of_every_task_are_read_as_they_were(
    files: TaskFiles, task: str, tmp_path: Path
) -> None:
    learned = BaselineRun.learned(task, str(files.train(task)), {})
    rows = learned.task.read(files.test(task))
    kept = KeptAnswers.of(rows, learned.baseline.answers(rows))
    kept.save(tmp_path / "answers")
    found = KeptAnswers.load(tmp_path / "answers")
    assert found[:3] == kept[:3]
    assert found.shown == kept.shown
    assert len(found.shown) == 18
    assert found.tallies is not None
    assert kept.tallies is not None
    assert np.array_equal(found.tallies.parts, kept.tallies.parts)
    assert found.tallies[1:] == kept.tallies[1:]
    value = found.tallies.figure(found.tallies.parts.sum(axis=0))
    assert float(value) == pytest.approx(found.score)


def saved(folder: Path) -> Path:
    tallies = share_tallies(np.array([1.0, 0.0]))
    KeptAnswers(2, "accuracy", {"accuracy": 0.5}, tallies, []).save(folder)
    return folder


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"num_rows": 3}, "tallies.safetensors is damaged"),
        ({"sums": "bleu"}, "tallies.safetensors is damaged"),
        ({"sums": "os.system"}, "answers.json is damaged"),
        ({"figures": {"accuracy": float("nan")}}, "answers.json is damaged"),
        ({"judged_by": "f1"}, "do not belong together"),
        ({"shown": [["a", "b", "c"]]}, "do not belong together"),
    ],
)
def test_damaged_answers_are_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    folder = saved(tmp_path / "answers")
    file = folder / "answers.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(OutputError, match=sentence):
        KeptAnswers.load(folder)


def test_a_task_without_tallies_has_figures_all_the_same(tmp_path: Path) -> None:
    kept = KeptAnswers(2, "my_figure", {"my_figure": 0.5}, None, [])
    kept.save(tmp_path / "answers")
    assert KeptAnswers.load(tmp_path / "answers") == kept


def test_a_baseline_of_minutes_is_no_candidate(
    files: TaskFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.tasks.classification.linear.MANY_LABELS", 1)
    monkeypatch.setattr("foretext.comparison.baseline_run.UNKNOWN_SECONDS", 0.0)
    with pytest.raises(CorpusError, match=r"labels and .* would take about a second; leave it out"):
        BaselineRun.learned("classification", str(files.train("classification")), {})


def test_rows_are_counted_by_who_has_them_right() -> None:
    assert agreement({"a": A, "b": B, "c": C}) == {"all": 1, "none": 1, "some": 4}


def test_a_row_is_right_where_nothing_of_it_is_wrong() -> None:
    half = A._replace(tallies=share_tallies([1, 0.5, 0, 0, 1, 1]))
    assert agreement({"a": half, "b": B}) == {"all": 2, "none": 2, "some": 2}


def test_agreement_needs_two_candidates_and_answers_that_are_right_or_wrong() -> None:
    assert agreement({"a": A}) is None
    assert agreement({"a": A, "b": B._replace(tallies=None)}) is None
    points = A._replace(tallies=share_tallies([100, 50, 20, 0, 1, 1]))
    assert agreement({"a": points, "b": points}) is None
    order = A._replace(tallies=rank_tallies([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5]))
    assert agreement({"a": order, "b": order}) is None


def test_a_row_that_divides_the_candidates_has_all_their_answers() -> None:
    found = disagreements({"a": A, "b": B, "c": C})
    assert {"text": "text 1", "right": "land",
            "answers": {"a": "land", "b": "sea", "c": "sea"}} in found  # fmt: skip
    assert {row["text"] for row in found} == {"text 1", "text 2", "text 4", "text 5"}


def test_each_right_answer_comes_once_before_it_comes_again() -> None:
    first = answered([True] * 10).kept
    second = answered([False] * 10).kept
    found = disagreements({"a": first, "b": second}, most=4)
    assert [row["right"] for row in found] == ["sea", "land", "sea", "land"]


def test_rows_that_divide_more_come_first() -> None:
    """One of four wrong divides less than two of four."""
    answers = {"a": [1, 1], "b": [1, 1], "c": [1, 0], "d": [0, 0]}
    found = disagreements(
        {name: answered([bool(each) for each in own]).kept for name, own in answers.items()}
    )
    assert [row["text"] for row in found] == ["text 1", "text 0"]


def test_of_scores_the_row_counts_whose_scores_are_nearest_to_the_right_ones() -> None:
    right = [1.0, 2.0, 3.0, 4.0]
    shown = [row._replace(given="0.5") for row in B.shown[:4]]
    near = A._replace(num_rows=4, tallies=rank_tallies(right, right), shown=A.shown[:4])
    far = B._replace(num_rows=4, tallies=rank_tallies(right, [1, 2, 4, 3]), shown=shown)
    found = disagreements({"a": near, "b": far})
    assert {row["text"] for row in found} == {"text 2", "text 3"}


def test_rows_whose_answers_look_alike_are_left_out() -> None:
    """Of a long sentence only the beginning of the answer is shown."""
    shown = [row._replace(given="PER: Ada…") for row in A.shown]
    assert disagreements({"a": A._replace(shown=shown), "b": B._replace(shown=shown)}) == []


def test_there_are_none_where_the_task_shows_no_rows_or_nobody_differs() -> None:
    assert disagreements({"a": A._replace(shown=[]), "b": B}) == []
    assert disagreements({"a": A, "b": A}) == []
    assert disagreements({"a": A}) == []
    assert disagreements({}) == []
