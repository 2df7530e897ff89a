"""A comparison without training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.comparison.candidate import Candidate
from foretext.comparison.ledger import Ledger, Plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.shares import Shares, Stopwatch
from foretext.comparison.turn import Comparing
from foretext.progress.budget import Budget
from tests.comparison.fake_worker import Clock, FakeWorker

Begin = Callable[..., tuple[Comparing, Shares]]

LINEAR = Candidate("linear", "linear", group="classical", least_seconds=1.0)
TEXTCNN = Candidate("textcnn", "textcnn", group="from scratch", least_seconds=5.0)
BERT = Candidate(
    "bert", None, recipe="bert", group="pretrained", least_seconds=20.0, pretraining_rate=0.6
)
GPT = Candidate(
    "gpt", None, recipe="gpt", group="pretrained", least_seconds=20.0, pretraining_rate=0.6
)


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """Return what begins a comparison in a folder of the test, or goes on with it."""

    def begun(
        worker: FakeWorker,
        candidates: list[Candidate],
        *,
        seconds: float = 100.0,
        folder: str = "out",
        **changes: Any,
    ) -> tuple[Comparing, Shares]:
        request = CompareRequest(
            task="classification", train="train.csv", budget_seconds=seconds, **changes
        )
        plan = Plan(
            foretext="0",
            request=request.kept(),
            content="",
            seconds=0.0,
            pace=1.0,
            rows={"train": 80, "valid": 10, "test": 10},
            reading={"text": "body"},
            corpus=["corpus.txt"],
            text={"column": "body"},
            candidates=candidates,
        )
        watch = Stopwatch(worker.clock(), worker.clock)
        comparing = Comparing(request, plan, Ledger(tmp_path / folder), worker, watch, quiet=True)
        return comparing, Shares(Budget(seconds, 0.0, watch))

    return begun


@pytest.fixture
def clock() -> Clock:
    """Return a clock that only the test moves."""
    return Clock()
