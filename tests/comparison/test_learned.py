"""What has not learned anything is marked, named in a warning, and never recommended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.comparison.comparison import Comparison, text_table
from foretext.comparison.learned import not_learned
from tests.comparison.compared import answered, compared, outcome, rights
from tests.comparison.test_run import Worker, asked, run

MAJORITY = {"majority": 0.5}


def law(mean: float, majority: float | None = 0.5, passes: float | None = None) -> str | None:
    valid = {"mean": mean, "deviation": None, "each": [mean]}
    return not_learned(valid, "accuracy", majority, held_out=100, passes=passes)


@pytest.mark.parametrize(
    ("mean", "passes"), [(0.5, None), (0.4, None), (0.5, 12.0), (0.58, 0.1), (0.0, 0.5)]
)
def test_no_better_than_one_answer_to_all_is_not_learned(mean: float, passes: float | None) -> None:
    assert law(mean, passes=passes) is not None


@pytest.mark.parametrize(("mean", "passes"), [(0.51, None), (0.58, 3.0), (0.7, 0.1)])
def test_a_score_above_it_is(mean: float, passes: float | None) -> None:
    assert law(mean, passes=passes) is None


def test_without_one_answer_to_all_nobody_knows() -> None:
    assert law(0.0, None) is None


def test_the_sentence_has_both_figures_and_how_much_was_read() -> None:
    said = "accuracy 0.400 on the held-out rows, where the most frequent answer has 0.500"
    assert law(0.4) == said
    assert law(0.4, passes=0.08) == (
        f"{said}; it had time for 8% of the rows: give a longer --budget, or fewer candidates with "
        "--only"
    )


def two(folder: Path, bert: float, linear: float) -> dict[str, Any]:
    """Candidates of which the first one is better on the held-out rows."""
    return compared(
        folder,
        {"bert": [outcome(bert, passes=0.1)], "linear": [outcome(linear)]},
        {"bert": [answered(rights(22))], "linear": [answered(rights(21))]},
        plan=MAJORITY,
    )


def test_it_is_marked_warned_of_and_not_recommended(tmp_path: Path) -> None:
    content = two(tmp_path, 0.54, 0.53)
    assert content["recommendation"]["name"] == "linear"
    assert "no other candidate has learned" in content["recommendation"]["sentence"]
    assert any(each.startswith("bert has not learned: accuracy 0.540") for each in
               content["warnings"])  # fmt: skip
    line = next(each for each in text_table(content).splitlines() if each.startswith("bert"))
    assert line.endswith("has not learned")


def test_where_nobody_has_learned_nothing_is_recommended(tmp_path: Path) -> None:
    content = two(tmp_path, 0.5, 0.4)
    assert content["recommendation"] is content["best"] is None
    said = str(Comparison(tmp_path, content))
    assert "No candidate has learned more than the most frequent answer" in said


def test_one_that_has_learned_has_no_mark(tmp_path: Path) -> None:
    content = two(tmp_path, 0.8, 0.7)
    assert [each["not_learned"] for each in content["candidates"]] == [None, None]
    assert content["warnings"] == []
    assert "has not learned" not in text_table(content)


def test_labels_that_say_nothing_are_not_learned(tmp_path: Path) -> None:
    """Texts with random labels, nine of ten of which are one: the whole road says so."""
    train, test = tmp_path / "noise.txt", tmp_path / "noise-test.txt"
    words = ["ship", "wave", "sail", "port", "judge", "law", "court"]
    lines = [
        f"{'rare' if number % 11 == 3 else 'usual'}\tnumber {number}: {words[number % 7]}"
        for number in range(200)
    ]
    train.write_text("\n".join(lines[:160]), encoding="utf-8")
    test.write_text("\n".join(lines[160:]), encoding="utf-8")
    request = asked(tmp_path, train=str(train), test=str(test), only=("linear",), settings={})
    found = run(request, tmp_path / "out", Worker())
    assert found.recommendation is None
    assert found.table[0]["not_learned"] is not None
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "has not learned" in page
