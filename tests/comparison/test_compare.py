from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, SettingError
from foretext.comparison import compare as module
from foretext.comparison.request import CompareRequest
from foretext.data.rows import ParallelConfig, RowsConfig
from foretext.data.rows.parallel_files import ParallelFiles

Asked = dict[str, Any]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What `compare` asks for; nothing is compared."""
    found: Asked = {}

    def run(request: CompareRequest, out: str | Path, **options: Any) -> str:
        found.update(request=request, out=out, **options)
        return "a comparison"

    monkeypatch.setattr(module, "run_comparison", run)
    return found


def test_what_is_asked_for(asked: Asked) -> None:
    done = ft.compare(
        "classification",
        "train.csv",
        "runs/compare",
        budget="10m",
        corpus="corpus.txt",
        test="test.csv",
        only="linear",
        given=[Path("runs/bert")],
        rounds=2,
        rows=RowsConfig(text=("title", "body")),
        resume=True,
    )
    assert done == "a comparison"  # type: ignore[comparison-overlap]
    request = asked["request"]
    assert request == CompareRequest(
        task="classification",
        train="train.csv",
        test="test.csv",
        budget_seconds=600.0,
        corpus=("corpus.txt",),
        only=("linear",),
        given=("runs/bert",),
        rounds=2,
        rows={"text": ["title", "body"]},
    )
    assert (asked["out"], asked["resume"], asked["overwrite"]) == ("runs/compare", True, False)


def test_rows_in_memory(asked: Asked) -> None:
    pairs = [("a ship", "sea"), ("a field", "land")]
    ft.compare("classification", pairs, "out", budget=60)
    assert str(asked["request"].train) == "2 rows in memory"
    with pytest.raises(CorpusError, match="No rows were given"):
        ft.compare("classification", [], "out", budget=60)


def test_parallel_files(asked: Asked) -> None:
    ft.compare("text_to_text", ("a.de", "a.en"), "out", budget=60, rows=ParallelConfig())
    assert asked["request"].train == ParallelFiles("a.de", "a.en")


def test_there_are_rows() -> None:
    with pytest.raises(SettingError, match="give them as train"):
        ft.compare("classification", None, "out", budget=60)
