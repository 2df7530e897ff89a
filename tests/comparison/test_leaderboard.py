"""The table for Python, for the terminal and for notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.comparison.leaderboard import html_table, table_rows, text_table
from tests.comparison.compared import answered, compared, failed, outcome, rights


@pytest.fixture
def content(tmp_path: Path) -> dict[str, Any]:
    return compared(
        tmp_path,
        {"linear": [outcome(0.8, used=0.5)], "bert": [outcome(0.9)], "gpt": [failed()],
         "ernie": [outcome(0.3)]},
        {"linear": [answered(rights(36), 0.1)], "bert": [answered(rights(35), 8.0)]},
    )  # fmt: skip


def test_a_row_has_what_a_table_of_data_needs(content: dict[str, Any]) -> None:
    first, *others = table_rows(content)
    assert first["name"] == "linear"
    assert first["score"] == 0.9
    assert first["tie"] is True
    assert (first["seconds"], first["megabytes"], first["memory_megabytes"]) == (0.5, 2.0, 100.0)
    assert all(list(row) == list(first) for row in others)
    assert [row["status"] for row in others] == ["finished", "dropped", "failed"]
    assert others[-1]["score"] is None


def test_the_terminal_gets_columns(content: dict[str, Any]) -> None:
    head, linear, bert, ernie, gpt = text_table(content).splitlines()
    assert head.split("  ")[0] == "candidate"
    assert "accuracy, test" in head
    assert linear.split()[:2] == ["linear", "0.900"]
    assert not linear.endswith("best")
    assert bert.split()[1] == "0.875"
    assert bert.endswith("tied with the best")
    assert head.index("to fit") + len("to fit") == linear.index("0.5 s") + len("0.5 s")
    assert ernie.startswith("ernie dropped with 0.300 held out: It was not among the better half")
    assert gpt == "gpt failed: It ran out of memory."


def test_what_never_took_part_is_named_in_one_line(content: dict[str, Any]) -> None:
    *_, gpt = content["candidates"]
    left_out = [
        {**gpt, "name": name, "status": "left out", "sentence": "a fair look takes 60 s"}
        for name in ("t5", "elmo")
    ]
    lines = text_table({**content, "candidates": [*content["candidates"], *left_out]}).splitlines()
    assert lines[-1] == "left out, for reasons that the page gives: t5, elmo"
    assert len(lines) == len(text_table(content).splitlines()) + 1


def test_a_candidate_that_is_worse_than_the_best_is_not_called_tied(tmp_path: Path) -> None:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "bert": [outcome(0.9)]},
        {"linear": [answered(rights(10))], "bert": [answered(rights(35))]},
    )  # fmt: skip
    assert "tied" not in text_table(content)


def test_a_notebook_gets_cells_without_markup_of_strangers(content: dict[str, Any]) -> None:
    content["candidates"][-1]["sentence"] = "<script>x</script>"
    content["warnings"] = ["Two rows are & in both."]
    found = html_table(content, "Use <b>.")
    above = "<p>Warning: Two rows are &amp; in both.</p><p>Use &lt;b&gt;.</p><table>"
    assert found.startswith(above)
    assert found.count("<tr>") == 5
    assert "<script>" not in found
