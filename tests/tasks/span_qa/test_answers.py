"""Answers within their passages, cut short and marked."""

from __future__ import annotations

import pytest

from foretext.data.rows import Answer, Question
from foretext.tasks.span_qa.answers import CUT, marked_passage, question_word, span_findings
from foretext.tasks.span_qa.network import SpanAnswer

CONTEXT = "x " * 400 + "the red fox sleeps" + " y" * 400

TEXT = "The red fox\nsleeps in Denver."


def asked(question: str, *answers: str) -> Question:
    spans = tuple(Answer(text, CONTEXT.find(text)) for text in answers)
    return Question("q", question, CONTEXT, spans, "", "a.json:q")


def given(text: str, probability: float) -> SpanAnswer:
    start = CONTEXT.find(text) if text else None
    return SpanAnswer(text, start, None if start is None else start + len(text), probability, 0.0)


def test_kinds_of_questions_and_the_surest_errors() -> None:
    rows = [
        asked("Who sleeps?", "the red fox", "red fox"),
        asked("In what state is the fox?", "sleeps"),
        asked("who flies?"),
    ]
    answers = [given("red fox", 0.5), given("fox sleeps", 0.8), given("fox", 0.9)]
    found = span_findings(rows, answers, "english")
    by_word, by_answer = (each["rows"] for each in found["tables"])
    assert by_word == [
        {"question word": "who", "questions": 2, "exact_match": 0.5, "f1": 0.5},
        {"question word": "what", "questions": 1, "exact_match": 0.0, "f1": pytest.approx(2 / 3)},
    ]
    assert [row["has an answer"] for row in by_answer] == ["yes", "no"]
    assert found["num_errors"] == 2
    first, second = found["questions"]
    assert (first["question"], first["right"], first["given"]) == ("who flies?", [], "fox")
    assert (second["right"], second["given"], second["probability"]) == (
        ["sleeps"],
        "fox sleeps",
        0.8,
    )
    marked = [piece for piece in second["passage"] if piece[1]]
    assert marked == [["fox ", "given"], ["sleeps", "both"]]
    assert len("".join(text for text, _ in second["passage"])) <= 302
    assert sum(each["size"] for each in found["reliability"]) == 3


@pytest.mark.parametrize(
    ("question", "language", "word"),
    [
        ("How many foxes sleep?", "english", "how many"),
        ("In which year?", "english", "which"),
        ("Name a fox.", "english", "other"),
        ("狐狸为什么睡觉？", "chinese", "为什么"),
        ("谁睡觉？", "chinese", "谁"),
    ],
)
def test_the_word_that_asks(question: str, language: str, word: str) -> None:
    assert question_word(question, language) == word  # type: ignore[arg-type]


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
