"""Answers within their passages, cut short and marked."""

from __future__ import annotations

from foretext.tasks.span_qa.marked_passage import CUT, marked_passage

TEXT = "The red fox\nsleeps in Denver."


def test_both_answers_are_marked() -> None:
    assert marked_passage(TEXT, (22, 28), (4, 11)) == [
        ["The ", ""], ["red fox", "given"], [" sleeps in ", ""], ["Denver", "right"], [".", ""],
    ]  # fmt: skip


def test_what_both_have_is_marked_as_such() -> None:
    assert marked_passage(TEXT, (4, 11), (8, 18)) == [
        ["The ", ""], ["red ", "right"], ["fox", "both"], [" sleeps", "given"],
        [" in Denver.", ""],
    ]  # fmt: skip


def test_no_answer_shows_the_beginning() -> None:
    assert marked_passage(TEXT, None, None) == [["The red fox sleeps in Denver.", ""]]
    (piece, cut) = marked_passage("x" * 1000, None, None)
    assert (len(piece[0]), cut) == (300, [CUT, ""])


def test_words_are_shown_whole() -> None:
    text = "word " * 100 + "ANSWER" + " word" * 100
    pieces = marked_passage(text, (500, 506), None)
    shown = "".join(piece for piece, _ in pieces).strip(CUT)
    assert set(shown.split()) == {"word", "ANSWER"}
    assert pieces[0] == pieces[-1] == [CUT, ""]


def test_what_lies_between_answers_far_apart_is_left_out() -> None:
    text = "a" * 500 + "RIGHT" + "b" * 1000 + "GIVEN" + "c" * 500
    pieces = marked_passage(text, (500, 505), (1505, 1510))
    assert [piece for piece in pieces if piece[1]] == [["RIGHT", "right"], ["GIVEN", "given"]]
    assert [piece[0] for piece in pieces].count(CUT) == 3
    assert sum(len(piece[0]) for piece in pieces) < 600
