"""A comparison with a backbone from outside the package, opened again by other processes."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.comparison.request import CompareRequest
from foretext.comparison.run import run_comparison
from foretext.errors import CorpusError
from foretext.registry import trusted
from tests.comparison.fake_worker import Clock, FakeWorker

MINE = "tests.outside.my_lstm:LSTM"


def test_the_code_that_a_user_names_is_trusted(tmp_path: Path) -> None:
    request = CompareRequest(
        task="my_task:Mine", train="nothing.csv", budget_seconds=60, only=("word2vec + my:Net",)
    )
    with pytest.raises(CorpusError):
        run_comparison(request, tmp_path / "out", quiet=True, worker=FakeWorker(Clock()))
    assert {"my_task:Mine", "my:Net"} <= {*trusted()}


@pytest.mark.slow
def test_a_backbone_of_mine(tmp_path: Path) -> None:
    rows = [(f"the {word} number {place}", word) for place in range(40) for word in ("cat", "dog")]
    found = ft.compare(
        "classification",
        rows,
        tmp_path / "out",
        budget=30,
        only=[MINE, "linear"],
        settings={MINE: {"tokenizer": {"vocab_size": 300}}},
        quiet=True,
    )
    assert {row["status"] for row in found.table} == {"finished"}
    assert found.best.predict(["a cat"]) == ["cat"]
