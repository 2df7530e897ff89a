"""Rows that candidates answer differently."""

from __future__ import annotations

from foretext.comparison.disagreements import agreement, disagreements
from foretext.metrics.paired import rank_tallies, share_tallies
from tests.comparison.compared import answered

A = answered([True, True, True, False, True, False]).kept
B = answered([True, False, True, False, False, True]).kept
C = answered([True, False, False, False, False, True]).kept


def test_rows_are_counted_by_who_has_them_right() -> None:
    assert agreement({"a": A, "b": B, "c": C}) == {"all": 1, "none": 1, "some": 4}


def test_a_row_is_right_where_nothing_of_it_is_wrong() -> None:
    half = A._replace(tallies=share_tallies([1, 0.5, 0, 0, 1, 1]))
    assert agreement({"a": half, "b": B}) == {"all": 2, "none": 2, "some": 2}


def test_agreement_needs_two_candidates_and_answers_that_are_right_or_wrong() -> None:
    assert agreement({"a": A}) is None
    assert agreement({"a": A, "b": B._replace(tallies=None)}) is None
    points = A._replace(tallies=share_tallies([100, 50, 20, 0, 1, 1]))
    assert agreement({"a": points, "b": points}) is None
    order = A._replace(tallies=rank_tallies([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5]))
    assert agreement({"a": order, "b": order}) is None


def test_a_row_that_divides_the_candidates_has_all_their_answers() -> None:
    found = disagreements({"a": A, "b": B, "c": C})
    assert {"text": "text 1", "right": "land",
            "answers": {"a": "land", "b": "sea", "c": "sea"}} in found  # fmt: skip
    assert {row["text"] for row in found} == {"text 1", "text 2", "text 4", "text 5"}


def test_each_right_answer_comes_once_before_it_comes_again() -> None:
    first = answered([True] * 10).kept
    second = answered([False] * 10).kept
    found = disagreements({"a": first, "b": second}, most=4)
    assert [row["right"] for row in found] == ["sea", "land", "sea", "land"]


def test_rows_that_divide_more_come_first() -> None:
    """One of four wrong divides less than two of four."""
    answers = {"a": [1, 1], "b": [1, 1], "c": [1, 0], "d": [0, 0]}
    found = disagreements(
        {name: answered([bool(each) for each in own]).kept for name, own in answers.items()}
    )
    assert [row["text"] for row in found] == ["text 1", "text 0"]


def test_of_scores_the_row_counts_whose_scores_are_nearest_to_the_right_ones() -> None:
    right = [1.0, 2.0, 3.0, 4.0]
    shown = [row._replace(given="0.5") for row in B.shown[:4]]
    near = A._replace(num_rows=4, tallies=rank_tallies(right, right), shown=A.shown[:4])
    far = B._replace(num_rows=4, tallies=rank_tallies(right, [1, 2, 4, 3]), shown=shown)
    found = disagreements({"a": near, "b": far})
    assert {row["text"] for row in found} == {"text 2", "text 3"}


def test_rows_whose_answers_look_alike_are_left_out() -> None:
    """Of a long sentence only the beginning of the answer is shown."""
    shown = [row._replace(given="PER: Ada…") for row in A.shown]
    assert disagreements({"a": A._replace(shown=shown), "b": B._replace(shown=shown)}) == []


def test_there_are_none_where_the_task_shows_no_rows_or_nobody_differs() -> None:
    assert disagreements({"a": A._replace(shown=[]), "b": B}) == []
    assert disagreements({"a": A, "b": A}) == []
    assert disagreements({"a": A}) == []
    assert disagreements({}) == []
