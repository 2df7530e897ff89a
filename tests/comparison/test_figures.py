"""The content of ``compare.json``."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest

from foretext.comparison.answers import KeptAnswers
from foretext.comparison.figures import spread
from foretext.metrics.paired import f1_tallies, rank_tallies, share_tallies
from foretext.metrics.texts import bleu, chrf, rouge_l
from foretext.report.comparison_files import ComparisonFacts, read_comparison
from tests.comparison.compared import answered, compared, failed, outcome, rights

TEXTS = [f"the ship number {place} sails to port" + " again" * (place % 7) for place in range(40)]
KINDS = {
    "accuracy": share_tallies(rights(30)),
    "f1": f1_tallies([1, 0] * 20, [1, 1] * 20, [2, 0] * 20),
    "spearman": rank_tallies(range(40), [place + 9 * (place % 4) for place in range(40)]),
    "chrf": chrf([text[3:] for text in TEXTS], TEXTS).tallies,
    "bleu": bleu([text[9:] for text in TEXTS], TEXTS).tallies,
    "rouge_l": rouge_l([text[9:] for text in TEXTS], TEXTS).tallies,
}


def by_name(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in content["candidates"]}


def three(folder: Path, **more: Any) -> dict[str, Any]:
    """Two finalists, and one that failed."""
    return compared(
        folder,
        {"linear": [outcome(0.8)], "bert": [outcome(0.9)], "gpt": [failed()]},
        {"linear": [answered(rights(30), 0.1)], "bert": [answered(rights(36), 8.0)]},
        **more,
    )


def test_the_page_reads_all_that_is_written(tmp_path: Path) -> None:
    content = three(tmp_path, plan={"left_out": {"t5": "It needs 45 s."}})
    (tmp_path / "compare.json").write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    found = read_comparison(tmp_path)
    assert json.loads(json.dumps(found)) == content
    known = {field.alias or name for name, field in ComparisonFacts.model_fields.items()}
    assert known <= {*content}


def test_a_finalist_has_its_figure_with_an_interval_and_its_difference_to_the_best(
    tmp_path: Path,
) -> None:
    linear, bert = (by_name(three(tmp_path))[name] for name in ("linear", "bert"))
    assert bert["test"]["value"] == 0.9
    assert 0.7 < bert["test"]["low"] < 0.9 < bert["test"]["high"] <= 1.0
    assert bert["test"]["figures"] == {"accuracy": 0.9, "macro_f1": 0.45}
    assert bert["against_best"]["value"] == 0.0
    assert linear["against_best"]["value"] == pytest.approx(-0.15)
    assert linear["against_best"]["low"] < -0.15 < linear["against_best"]["high"]
    assert (linear["milliseconds_per_row"], linear["milliseconds_in_batches"]) == (0.1, 0.05)
    assert bert["rounds"][0]["seeds"][0]["run"] == "candidates/bert/round-1/seed-0"


def test_one_that_failed_is_a_row_with_its_sentence(tmp_path: Path) -> None:
    gpt = by_name(three(tmp_path))["gpt"]
    assert (gpt["status"], gpt["sentence"]) == ("failed", "It ran out of memory.")
    assert gpt["test"] is gpt["valid"] is gpt["against_best"] is gpt["forecast"] is None
    assert gpt["seconds"]["used"] == 3.0


def test_one_that_cannot_answer_the_test_has_failed(tmp_path: Path) -> None:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "bert": [outcome(0.9)]},
        {"linear": [answered(rights(30))]}, failures={"bert": "It was too slow."},
    )  # fmt: skip
    bert = by_name(content)["bert"]
    assert (bert["status"], bert["sentence"]) == ("failed", "It was too slow.")
    assert content["recommendation"]["name"] == "linear"


def test_one_that_was_dropped_says_after_which_round(tmp_path: Path) -> None:
    content = compared(
        tmp_path,
        {"linear": [outcome(0.8), outcome(0.85, round_=2, used=20.0)], "bert": [outcome(0.7)]},
        {"linear": [answered(rights(30))]},
    )
    first, second = content["candidates"]
    assert (first["name"], second["status"]) == ("linear", "dropped")
    assert second["sentence"] == "It was not among the better half after round 1."
    assert second["valid"]["mean"] == 0.7
    assert second["test"] is None
    assert first["seconds"] == {"given": 20.0, "used": 29.5, "shared": 0.0, "fit": 20.0}
    assert first["forecast"] is None  # 0.05 more of 50 rows is within a standard error


def test_one_that_takes_no_part_has_its_group_and_the_reason(tmp_path: Path) -> None:
    left_out = {"t5": "It needs 45 s.", "no such thing": "It is unknown."}
    found = by_name(three(tmp_path, plan={"left_out": left_out}))
    assert (found["t5"]["status"], found["t5"]["group"]) == ("left out", "pretrained")
    assert found["t5"]["recipe"] == "t5"
    assert found["no such thing"]["group"] == ""


def test_several_seeds_are_a_mean_and_the_costs_of_the_best(tmp_path: Path) -> None:
    content = compared(
        tmp_path, {"bert": [outcome(0.8, 0.9)]},
        {"bert": [answered(rights(30), 5.0), answered(rights(34), 7.0)]},
    )  # fmt: skip
    bert = by_name(content)["bert"]
    assert bert["test"]["each"] == [0.75, 0.85]
    assert bert["test"]["value"] == pytest.approx(0.8)
    assert bert["test"]["figures"]["macro_f1"] == pytest.approx(0.4)
    assert bert["valid"]["mean"] == pytest.approx(0.85)
    assert bert["milliseconds_per_row"] == 7.0


def test_rows_that_candidates_answer_differently_are_shown(tmp_path: Path) -> None:
    content = three(tmp_path)
    assert content["agreement"] == {"all": 30, "none": 4, "some": 6}
    shown = content["disagreements"]
    assert len(shown) == 6
    assert shown[0]["answers"] == {"bert": shown[0]["right"], "linear": "land"}


def test_without_a_test_the_figures_are_of_the_held_out_rows(tmp_path: Path) -> None:
    content = three(tmp_path, plan={"rows": {"train": 100, "valid": 40, "test": 0}})
    assert (content["part"], content["measured_rows"]) == ("valid", 40)
    assert "test" not in content["recommendation"]["sentence"]
    assert three(tmp_path)["part"] == "test"


def test_a_task_that_does_not_say_what_rows_add_has_figures_without_intervals(
    tmp_path: Path,
) -> None:
    content = compared(
        tmp_path, {"linear": [outcome(0.8)], "bert": [outcome(0.9)]},
        {"linear": [answered(rights(30))], "bert": [answered(rights(36), tallies=None)]},
    )  # fmt: skip
    linear, bert = (by_name(content)[name] for name in ("linear", "bert"))
    assert linear["test"] == {"value": 0.75, "low": None, "high": None, "each": [0.75],
                              "figures": {"accuracy": 0.75, "macro_f1": 0.375}}  # fmt: skip
    assert linear["against_best"]["value"] == pytest.approx(-0.15)
    assert (linear["against_best"]["p_value"], linear["against_best"]["is_tie"]) == (None, False)
    assert bert["against_best"]["is_tie"] is True
    assert content["disagreements"] == []


@pytest.mark.parametrize("judged_by", list(KINDS))
def test_the_figures_of_every_task_have_intervals(tmp_path: Path, judged_by: str) -> None:
    """As they are read from the files that the process of the models has written."""
    tallies = KINDS[judged_by]
    score = float(tallies.figure(tallies.parts.sum(axis=0)))
    own = answered(rights(30), judged_by=judged_by, tallies=tallies, figures={judged_by: score})
    own.kept.save(tmp_path / "answers")
    read = own._replace(kept=KeptAnswers.load(tmp_path / "answers"))
    history = {"bert": [outcome(score, judged_by=judged_by)]}
    found = compared(tmp_path, history, {"bert": [read]})["candidates"][0]["test"]
    assert found["value"] == pytest.approx(score)
    assert found["low"] < score < found["high"]


def test_where_all_failed_there_is_nothing_to_recommend(tmp_path: Path) -> None:
    content = compared(tmp_path, {"bert": [failed()], "gpt": [failed("It was late.")]}, {})
    assert content["recommendation"] is content["best"] is None
    assert content["judged_by"] == "score"
    assert content["measured_rows"] == 0


def test_equal_answers_give_equal_content(tmp_path: Path) -> None:
    """So that a comparison that was killed ends in the table of an unbroken one."""
    assert three(tmp_path) == three(tmp_path)


def test_seeds_are_numbered_as_the_user_asked(tmp_path: Path) -> None:
    request = {"task": "matching", "train": ["a.de", "a.en"], "budget": 9.0, "seeds": 3,
               "rounds": 2, "seed": 4}  # fmt: skip
    content = three(tmp_path, plan={"request": request})
    assert content["seeds"] == [4, 5, 6]
    assert content["data"] == "a"
    assert content["rounds"] == 2


def test_the_title_keeps_the_dots_of_a_file_name(tmp_path: Path) -> None:
    request = {"task": "span_qa", "train": "squad/train-v1.1.json.gz", "budget": 9.0, "seeds": 1,
               "rounds": 1, "seed": 0}  # fmt: skip
    assert three(tmp_path, plan={"request": request})["data"] == "squad/train-v1.1"


def test_the_deviation_is_that_of_a_sample() -> None:
    scores = [0.8, 0.9, 0.85]
    found = spread(scores)
    assert found["mean"] == pytest.approx(0.85)
    assert found["deviation"] == pytest.approx(statistics.stdev(scores))
    assert found["each"] == scores


def test_one_seed_has_no_deviation() -> None:
    assert spread([0.7]) == {"mean": 0.7, "deviation": None, "each": [0.7]}


def test_a_score_that_is_no_number_counts_as_nothing() -> None:
    assert spread([math.nan])["each"] == [0.0]
