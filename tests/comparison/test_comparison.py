"""What a comparison found, in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import ModelFileError, OutputError
from foretext.comparison.comparison import Comparison
from foretext.data.rows import LabelledText
from foretext.tasks.classification.linear import LinearClassifier
from tests.comparison.compared import answered, compared, failed, outcome, rights


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "gpt": [failed()]}, {"linear": [answered(rights(30))]},
        plan={"warnings": ["12 rows of the test are in the training too."]},
    )  # fmt: skip
    return Comparison(tmp_path, content)


def test_it_is_the_same_after_saving_and_loading(found: Comparison) -> None:
    found.save()
    again = Comparison.load(found.folder)
    assert again.table == found.table
    assert again.recommendation == found.recommendation
    assert json.loads(json.dumps(again.content)) == found.content
    lines = (found.folder / "results.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["method", "linear"]


def test_the_terminal_gets_warnings_table_and_recommendation(found: Comparison) -> None:
    first, *_, last = str(found).splitlines()
    assert first == "Warning: 12 rows of the test are in the training too."
    assert last == found.recommendation
    assert repr(found).endswith("candidates=2, best='linear')")
    assert "<table>" in found._repr_html_()


def test_the_best_model_answers(found: Comparison) -> None:
    rows = [LabelledText("a ship", ("sea",), "r:1"), LabelledText("a field", ("land",), "r:2")]
    LinearClassifier().fit([row.text for row in rows], ["sea", "land"]).save(found.folder / "best")
    assert found.best.answer_rows(rows).best() == ["sea", "land"]


def test_where_all_failed_there_is_no_best_model(tmp_path: Path) -> None:
    nothing = Comparison(tmp_path, compared(tmp_path, {"gpt": [failed()]}, {}))
    assert nothing.recommendation is None
    assert str(nothing).endswith("No candidate finished that can be kept as a model.")
    assert "best=None" in repr(nothing)
    with pytest.raises(ModelFileError, match="no candidate finished"):
        _ = nothing.best


def test_a_folder_without_a_comparison_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"compare\.json"):
        Comparison.load(tmp_path)


@pytest.mark.parametrize("name", ["compare.json", "results.csv"])
def test_a_file_that_cannot_be_written_is_one_sentence(found: Comparison, name: str) -> None:
    (found.folder / name).mkdir()
    with pytest.raises(OutputError, match=name.replace(".", r"\.")):
        found.save()


def test_what_was_read_is_shown_as_it_was_written(found: Comparison) -> None:
    """A damaged or foreign file is refused by its types; others are data, never code."""
    content: dict[str, Any] = json.loads(json.dumps(found.content))
    content["best"] = "../../elsewhere"
    (found.folder / "compare.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(OutputError, match="best"):
        Comparison.load(found.folder)
