"""The most frequent label, with one label a text or several."""

from __future__ import annotations

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText
from foretext.tasks.baseline import majority_baseline


def rows(*labels: tuple[str, ...]) -> list[LabelledText]:
    return [LabelledText("a text", own, "a.csv:1") for own in labels]


def test_it_answers_every_text_alike() -> None:
    given = majority_baseline(rows(("b",), ("a",), ("b",), ("c",))).answers(rows(("x",), ("y",)))
    assert given.best() == ["b", "b"]
    assert given.labels == ("a", "b", "c")
    assert given.probabilities.tolist() == [[0.25, 0.5, 0.25]] * 2


def test_of_equally_frequent_labels_the_first_in_the_alphabet_counts() -> None:
    assert majority_baseline(rows(("b",), ("a",))).answers(rows(("z",))).best() == ["a"]


def test_of_several_labels_a_text_the_most_frequent_set_counts() -> None:
    baseline = majority_baseline(rows(("b", "a"), ("a", "b"), ()))
    assert baseline.answers(rows(("a",))).best() == [("a", "b")]
    assert baseline.name == "the most frequent set of labels"
    assert majority_baseline(rows((), (), ("a",))).answers(rows(("a",))).best() == [()]


def test_no_row_is_an_error() -> None:
    with pytest.raises(CorpusError, match="no row to learn from"):
        majority_baseline([])
