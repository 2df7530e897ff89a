"""What to use, and why."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.comparison.recommendation import about_as_good, recommend, standard_error

ROWS = 400


def entry(name: str, valid: float, milliseconds: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "base": None,
        "status": "finished",
        "valid": {"mean": valid, "deviation": None, "each": [valid]},
        "test": {"value": valid - 0.01, "low": valid - 0.05, "high": valid + 0.03},
        "against_best": {"is_tie": True},
        "milliseconds_per_row": milliseconds,
        **more,
    }


def sentence(*entries: dict[str, Any], tested: int = 300) -> str:
    found = recommend(entries, "accuracy", held_out=ROWS, tested=tested)
    assert found is not None
    return found["sentence"]


def test_the_best_is_recommended_where_nothing_is_about_as_good() -> None:
    found = sentence(entry("bert", 0.9, 20.0), entry("linear", 0.8))
    assert found == (
        "Use bert: accuracy 0.900 on the held-out rows is the best, before linear with 0.800; "
        "on the 300 test rows it is 0.890 (0.850 to 0.930)."
    )


def test_of_about_equally_good_ones_the_fastest_is_recommended() -> None:
    found = sentence(entry("bert", 0.905, 20.0), entry("linear", 0.9, 0.1), entry("gpt", 0.85))
    assert found.startswith(
        "Use linear: accuracy 0.900 on the held-out rows is within one standard error of the "
        "best, 0.905 of bert, and a row takes 0.1 ms instead of 20 ms; "
    )


def test_one_that_is_hardly_faster_is_not_preferred_to_a_better_one() -> None:
    found = sentence(entry("bert", 0.905, 1.2), entry("linear", 0.9, 1.0))
    assert found.startswith("Use bert: ")
    assert "linear is about as good and not much faster in use" in found


def test_several_that_are_about_as_good_are_named() -> None:
    found = sentence(entry("a", 0.905), entry("b", 0.9), entry("c", 0.9))
    assert "b and c are about as good" in found
    many = sentence(entry("a", 0.905), *(entry(name, 0.9) for name in "bcdefg"))
    assert "b, c, d and 3 others are about as good" in many


def test_the_sentence_says_who_was_better_on_the_test_by_more_than_chance() -> None:
    first = entry("bert", 0.905, 20.0, test={"value": 0.95, "low": 0.93, "high": 0.97})
    second = entry("linear", 0.9, 0.1, against_best={"is_tie": False})
    assert sentence(first, second).endswith("(0.850 to 0.930), where bert is better with 0.950.")
    tied = entry("linear", 0.9, 0.1)
    assert "where" not in sentence(first, tied)


def test_the_test_has_no_say_in_the_choice() -> None:
    worse = entry("bert", 0.9, test={"value": 0.1, "low": 0.0, "high": 0.2})
    found = recommend([entry("gpt", 0.8), worse], "accuracy", held_out=ROWS, tested=300)
    assert found is not None
    assert found["name"] == "bert"


def test_without_a_test_the_sentence_ends_with_the_reason() -> None:
    assert sentence(entry("bert", 0.9), entry("gpt", 0.5), tested=0).endswith("gpt with 0.500.")


def test_a_single_candidate_is_recommended_for_want_of_others() -> None:
    others = entry("gpt", 0.95, status="failed"), entry("t5", 0.95, status="dropped")
    found = sentence(entry("linear", 0.5), *others)
    assert found.startswith("Use linear: no other candidate finished; on the 300 test rows")


def test_a_baseline_that_no_folder_keeps_is_not_recommended() -> None:
    baseline = entry("ibm model 1", 0.9, 0.01, base="baseline")
    bert, gpt = entry("bert", 0.7), entry("gpt", 0.5)
    assert recommend([baseline], "accuracy", held_out=ROWS, tested=300) is None
    assert sentence(baseline, bert, gpt, tested=0) == (
        "Use bert: accuracy 0.700 on the held-out rows is the best of a model, before gpt with "
        "0.500, but the baseline ibm model 1, which no folder keeps, has 0.900 there."
    )
    assert sentence(baseline, bert, tested=0).startswith(
        "Use bert: accuracy 0.700 on the held-out rows is the best of a model, but the baseline"
    )
    worse = entry("frequent tags", 0.6, 0.01, base="baseline")
    assert sentence(bert, worse, tested=0) == (
        "Use bert: accuracy 0.700 on the held-out rows is the best, before frequent tags with "
        "0.600."
    )


def test_a_baseline_that_is_as_good_is_not_called_worse() -> None:
    baseline = entry("frequent tags", 0.9, base="baseline")
    found = sentence(entry("bert", 0.9), baseline)
    assert "accuracy 0.900 on the held-out rows is the best, and frequent tags has as much" in found


def test_nothing_is_recommended_where_none_finished() -> None:
    gone = entry("gpt", 0.9, status="failed")
    assert recommend([gone], "accuracy", held_out=ROWS, tested=300) is None


def test_a_candidate_whose_time_is_unknown_is_the_last_choice() -> None:
    found = sentence(entry("bert", 0.905, None), entry("linear", 0.9, 50.0))
    assert found.startswith("Use linear: ")
    assert "a row takes" not in found
    both = sentence(entry("bert", 0.905, None), entry("linear", 0.9, None))
    assert both.startswith("Use bert: ")


@pytest.mark.parametrize(
    ("judged_by", "each", "expected"),
    [
        ("accuracy", [0.8], 0.02),
        ("accuracy", [0.7, 0.9], (0.02**2 + 0.02 / 2) ** 0.5),
        ("bleu", [80.0], 2.0),
        ("spearman", [-0.1], 0.0),
    ],
)
def test_a_standard_error_is_of_rows_and_seeds(
    judged_by: str, each: list[float], expected: float
) -> None:
    deviation = None if len(each) == 1 else 0.02**0.5
    valid = {"mean": sum(each) / len(each), "deviation": deviation, "each": each}
    assert standard_error(valid, judged_by, ROWS) == pytest.approx(expected)


def test_fewer_rows_make_more_candidates_about_as_good() -> None:
    entries = [entry("a", 0.9), entry("b", 0.88), entry("c", 0.8)]
    numbers = [
        len(about_as_good(entries, entries[0], "accuracy", rows)) for rows in (10_000, 200, 9)
    ]
    assert numbers == [1, 2, 3]
