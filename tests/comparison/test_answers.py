"""Answers to rows, kept for the comparison of models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.baseline_run import BaselineRun
from foretext.metrics.paired import share_tallies
from tests.task_files import TaskFiles, write_task_files

TASKS = ("classification", "matching", "tagging", "span_qa", "text_to_text")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("task", TASKS)
def test_answers_of_every_task_are_read_as_they_were(
    files: TaskFiles, task: str, tmp_path: Path
) -> None:
    learned = BaselineRun.learned(task, str(files.train(task)), {})
    rows = learned.model.read(files.test(task))
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
