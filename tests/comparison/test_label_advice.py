"""The sentence on labels says what the figures say, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from foretext.comparison.label_advice import (
    label_crossing,
    label_sentence,
    label_worth,
    rivals,
    rounded,
)
from foretext.comparison.label_scores import LabelScores
from foretext.comparison.power_law import Worth

LABELS = (20, 100, 500, 2000)


def scores_of(
    curves: Mapping[str, Sequence[float]],
    labels: Sequence[int] = LABELS,
    deviation: float = 0.004,
    rows: int = 1000,
) -> LabelScores:
    """Scores of three draws around means: differences are known from about 0.02 on."""
    each = {
        (name, number): {0: mean - turn * deviation, 1: mean, 2: mean + turn * deviation}
        for turn, (name, means) in zip((1, -1, 1), curves.items(), strict=False)
        for number, mean in zip(labels, means, strict=True)
    }
    return LabelScores(tuple(curves), tuple(labels), each, {}, rows)


CROSS = {"doc2vec": [0.6, 0.7, 0.75, 0.78], "linear": [0.4, 0.6, 0.8, 0.9]}


def sentence(scores: LabelScores, worth: Worth | None = None, judged_by: str = "accuracy") -> str:
    return label_sentence(scores, judged_by, worth, is_every_row=True)


def test_a_known_crossing_is_named() -> None:
    scores = scores_of(CROSS)
    assert rivals(scores) == ("doc2vec", "linear")
    found = label_crossing(scores, "doc2vec", "linear")
    assert found is not None
    assert 100 < found.labels < 500
    assert sentence(scores) == (
        "With fewer than about 300 labels use doc2vec, with more use linear (where exactly between "
        "100 and 500 is not known)."
    )


def test_it_ends_in_what_more_labels_are_worth() -> None:
    worth = Worth(2000, 500, 0.021, 0.009, 0.032)
    assert sentence(scores_of(CROSS), worth).endswith(
        "; at your 2,000 labels another 500 are worth about 2.1 points of accuracy (0.9 to 3.2) to "
        "linear."
    )
    nothing = Worth(2000, 500, 0.0, 0.0, 0.0005)
    assert "another 500 are worth nothing to linear that could be measured." in sentence(
        scores_of(CROSS), nothing
    )
    some = label_sentence(scores_of(CROSS), "accuracy", worth, is_every_row=False)
    assert "at 2,000 labels another 500" in some


def test_two_that_never_cross() -> None:
    scores = scores_of({"linear": [0.5, 0.6, 0.7, 0.8], "textcnn": [0.3, 0.4, 0.5, 0.6]})
    assert sentence(scores) == (
        "Use linear with any number of labels from 20 to 2,000: it is the best at each that was "
        "measured."
    )


def test_of_ties_with_the_fewest_labels_the_one_that_stays_good_is_named() -> None:
    curves = {"textcnn": [0.605, 0.62, 0.65, 0.8], "doc2vec": [0.6, 0.7, 0.75, 0.78],
              "linear": [0.4, 0.6, 0.7, 0.9]}  # fmt: skip
    scores = scores_of(curves)
    assert scores.best(20) == "textcnn"
    assert rivals(scores) == ("doc2vec", "linear")
    assert sentence(scores).startswith("With fewer than about 750 labels use doc2vec, with more")


def test_a_tie_at_some_numbers_is_told() -> None:
    scores = scores_of({"linear": [0.5, 0.6, 0.7, 0.8], "textcnn": [0.3, 0.5, 0.695, 0.798]})
    assert sentence(scores) == (
        "Use linear with any number of labels from 20 to 2,000; textcnn ties with it with 500 and "
        "2,000 labels."
    )


def test_one_that_is_better_in_the_middle_is_told() -> None:
    scores = scores_of({"linear": [0.5, 0.6, 0.7, 0.8], "textcnn": [0.3, 0.7, 0.6, 0.6]})
    assert sentence(scores).endswith("; textcnn is better with 100 labels.")


def test_a_difference_that_chance_explains_is_a_tie() -> None:
    scores = scores_of({"a": [0.50, 0.60, 0.70, 0.80], "b": [0.49, 0.60, 0.70, 0.81]})
    assert sentence(scores) == "a and b tie at every number of labels from 20 to 2,000."


def test_one_side_of_a_crossing_alone_gives_no_number_to_change_at() -> None:
    late = scores_of({"a": [0.50, 0.61, 0.70, 0.70], "b": [0.49, 0.60, 0.69, 0.85]})
    assert sentence(late) == (
        "b is better than a with 2,000 labels; they tie with 20, 100 and 500 labels."
    )
    early = scores_of({"a": [0.60, 0.60, 0.70, 0.80], "b": [0.40, 0.60, 0.70, 0.81]})
    assert sentence(early) == (
        "a is better than b with 20 labels; they tie with 100, 500 and 2,000 labels."
    )


def test_one_that_loses_its_lead_again_is_no_crossing() -> None:
    scores = scores_of({"a": [0.505, 0.6, 0.7, 0.80], "b": [0.50, 0.7, 0.6, 0.805]})
    assert label_crossing(scores, "a", "b") is None
    assert sentence(scores) == (
        "b is better than a with 100 labels; a is better than b with 500 labels; they tie with 20 "
        "and 2,000 labels."
    )


def test_one_candidate_alone() -> None:
    rising = scores_of({"linear": [0.5, 0.6, 0.7, 0.8]})
    assert sentence(rising) == (
        "linear has accuracy 0.500 with 20 labels and 0.800 with 2,000 labels."
    )
    flat = scores_of({"linear": [0.5, 0.5, 0.5, 0.5]})
    assert sentence(flat) == (
        "linear has accuracy 0.500 with 20 labels and 0.500 with 2,000 labels, a difference that "
        "may be chance."
    )


def test_a_law_is_fitted_to_the_curve_and_none_to_one_that_has_none() -> None:
    labels = (20, 50, 100, 500, 1000)
    law = [1 - (2 * number**-0.5 + 0.1) for number in labels]
    found = label_worth(scores_of({"a": law}, labels), "a", "accuracy")
    assert found is not None
    assert found.value == pytest.approx(2 * (1000**-0.5 - 1200**-0.5), abs=0.002)
    of_texts = scores_of({"a": [100 * each for each in law]}, labels, deviation=1.0)
    same = label_worth(of_texts, "a", "bleu")
    assert same is not None
    assert same.value == pytest.approx(found.value, abs=1e-6)
    assert label_worth(scores_of({"a": [0.9, 0.3, 0.9, 0.3, 0.9]}, labels), "a", "accuracy") is None
    assert label_worth(scores_of(CROSS), "doc2vec", "accuracy") is not None
    assert label_worth(scores_of({"a": law[:3]}, labels[:3]), "a", "accuracy") is None


@pytest.mark.parametrize(
    ("number", "said"), [(812, 800), (1534, 1500), (23, 25), (7.2, 7), (158, 150), (96_000, 95_000)]
)
def test_numbers_are_said_as_people_do(number: float, said: int) -> None:
    assert rounded(number) == said
