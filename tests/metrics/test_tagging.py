from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.metrics import tagging_scores

TAGS = st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"])
SENTENCES = st.lists(
    st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=8), min_size=1, max_size=4
)


def test_by_hand() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "O"]]
    predicted = [["B-PER", "I-PER", "O", "B-PER"], ["O", "B-LOC"]]
    scores = tagging_scores(gold, predicted)
    assert (scores.precision, scores.recall) == (1 / 3, 1 / 3)
    assert scores.f1 == pytest.approx(1 / 3)
    assert scores.accuracy == 3 / 6
    assert scores.per_label == (("LOC", 0.0, 0.0, 0.0, 1), ("PER", 0.5, 0.5, 0.5, 2))
    assert scores.macro_f1 == 0.25


def test_the_two_sides_may_differ_in_their_scheme() -> None:
    assert tagging_scores([["I-PER", "B-PER"]], [["S-PER", "S-PER"]]).f1 == 1.0


@given(SENTENCES)
def test_equals_seqeval(sentences: list[list[tuple[str, str]]]) -> None:
    seqeval = pytest.importorskip("seqeval.metrics")
    gold, predicted = ([[pair[side] for pair in each] for each in sentences] for side in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shares without a denominator
        expected = {
            "accuracy": seqeval.accuracy_score(gold, predicted),
            "precision": seqeval.precision_score(gold, predicted),
            "recall": seqeval.recall_score(gold, predicted),
            "f1": seqeval.f1_score(gold, predicted),
        }
    figures = tagging_scores(gold, predicted).figures()
    assert {name: figures[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(("gold", "predicted"), [([], []), ([["O"]], [["O", "O"]]), ([[]], [[]])])
def test_a_tag_a_token(gold: list[list[str]], predicted: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="a tag a token, of the same sentences"):
        tagging_scores(gold, predicted)
