"""What is said of a model beside its baseline and the majority answer."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.finetuning.verdict import highest, verdict

FACTS = {
    "judged_by": "macro_f1",
    "baseline": {"name": "TF-IDF and logistic regression"},
    "majority": {"name": "the most frequent label"},
}
COMMAND = "foretext finetune classification linear train.csv -o runs/cnn-linear"


def beside(figure: float, difference: float, *, error: float = 0.01) -> dict[str, Any]:
    is_certain = abs(difference) > 1.96 * error
    tested = {
        "value": difference,
        "standard_error": error,
        "is_certain": is_certain,
        "p_value": None,
    }
    return {"figures": {"macro_f1": figure}, "difference": tested}


def of(ours: float, **rivals: dict[str, Any]) -> dict[str, Any]:
    found = {"part": "test", "rows": 1200, "figures": {"macro_f1": ours}, "beside": rivals}
    given = verdict(FACTS, found, COMMAND, "Train longer.")
    assert given is not None
    return given


def test_a_better_model_is_worth_its_training() -> None:
    given = of(0.9, baseline=beside(0.85, 0.05), majority=beside(0.2, 0.7))
    assert given == {
        "best": "model",
        "against": "baseline",
        "sentence": "The model is better than the baseline (TF-IDF and logistic regression): "
        "macro F1 0.900 against 0.850 on the 1,200 test rows; a difference of 0.050, with a "
        "standard error of 0.010, is more than chance explains.",
        "command": None,
    }


def test_a_better_baseline_comes_with_its_command() -> None:
    given = of(0.782, baseline=beside(0.855, -0.073))
    assert given["best"] == "baseline"
    assert given["command"] == COMMAND
    assert given["sentence"].startswith(
        "The baseline (TF-IDF and logistic regression) is better than the model: macro F1 0.855 "
        "against 0.782 on the 1,200 test rows"
    )
    assert given["sentence"].endswith("Learn that one instead:")


@pytest.mark.parametrize("difference", [0.01, -0.01, 0.0])
def test_a_difference_that_may_be_chance_decides_nothing(difference: float) -> None:
    given = of(0.8, baseline=beside(0.8 - difference, difference))
    assert (given["best"], given["command"]) == (None, COMMAND)
    assert "is not clearly better than the baseline" in given["sentence"]
    assert "may be chance" in given["sentence"]


def test_no_longer_training_is_advised_where_neither_makes_a_mistake() -> None:
    given = of(1.0, baseline=beside(1.0, 0.0, error=0.0))
    assert (given["best"], given["command"]) == (None, COMMAND)
    assert given["sentence"].startswith("Neither the model nor the baseline (TF-IDF")
    assert "chance" not in given["sentence"]
    given = of(1.0, majority={"figures": {"macro_f1": 1.0}, "difference": None})
    assert given["sentence"].endswith("can show which is better.")
    assert "Train longer" not in given["sentence"]


def test_the_highest_value_of_a_figure_is_its_own() -> None:
    assert (highest("accuracy"), highest("chrf")) == (1.0, 100.0)


def test_one_answer_to_all_is_no_model_to_use() -> None:
    given = of(0.3, baseline=beside(0.2, 0.1), majority=beside(0.5, -0.2))
    assert (given["best"], given["command"]) == ("majority", None)
    assert given["sentence"].startswith("The majority answer (the most frequent label) is better")
    assert given["sentence"].endswith("Train longer.")


def test_a_figure_without_a_test_is_compared_all_the_same() -> None:
    rival = {"figures": {"macro_f1": 0.5}, "difference": None}
    assert of(0.6, majority=rival)["best"] == "model"
    assert of(0.5, majority=rival)["best"] is None
    assert "chance" not in of(0.4, majority=rival)["sentence"]


def test_without_rivals_there_is_no_verdict() -> None:
    found = {"part": "valid", "rows": 9, "figures": {"macro_f1": 1.0}, "beside": {}}
    assert verdict(FACTS, found, None, "") is None


def test_figures_of_texts_are_in_points_and_tested_by_the_bootstrap() -> None:
    facts = {**FACTS, "judged_by": "bleu", "baseline": {"name": "word by word"}}
    tested = {"value": 7.24, "standard_error": 0.81, "is_certain": True, "p_value": 0.001}
    rival = {"figures": {"bleu": 28.02}, "difference": tested}
    found = {
        "part": "test",
        "rows": 1000,
        "figures": {"bleu": 35.27},
        "beside": {"baseline": rival},
    }
    given = verdict(facts, found, None, "")
    assert given is not None
    assert given["sentence"].endswith(
        ": BLEU 35.3 against 28.0 on the 1,000 test rows; a difference of 7.2, with a standard "
        "error of 0.8, is more than chance explains (paired bootstrap)."
    )
