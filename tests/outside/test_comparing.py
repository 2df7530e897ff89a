"""A comparison whose candidates are from outside the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.registry import trusted
from foretext.comparison.request import CompareRequest
from foretext.comparison.run import run_comparison
from foretext.extend import CorpusError
from tests.comparison.fake_worker import Clock, FakeWorker


def test_the_code_that_a_user_names_is_trusted(tmp_path: Path) -> None:
    request = CompareRequest(
        task="my_task:Mine", train="nothing.csv", budget_seconds=60, only=("word2vec + my:Net",)
    )
    with pytest.raises(CorpusError):
        run_comparison(request, tmp_path / "out", quiet=True, worker=FakeWorker(Clock()))
    assert {"my_task:Mine", "my:Net"} <= {*trusted()}
