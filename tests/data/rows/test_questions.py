from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import (
    Answer,
    Question,
    QuestionsConfig,
    find_question_problems,
    read_questions,
)
from foretext.data.rows.questions import placed

CONTEXT = "Ada wrote to Bob, and Bob to Ada."


def squad(*answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked = {"id": "q1", "question": "Who wrote?", "answers": list(answers), **more}
    return {"data": [{"title": "T", "paragraphs": [{"context": CONTEXT, "qas": [asked]}]}]}


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_squad(tmp_path: Path) -> None:
    path = written(tmp_path, squad({"text": "Ada", "answer_start": 0}))
    answers = (Answer("Ada", 0),)
    assert read_questions(path) == [
        Question("q1", "Who wrote?", CONTEXT, answers, "T", f"{path}:q1")
    ]


def test_squad_2_has_questions_without_answers(tmp_path: Path) -> None:
    plausible = [{"text": "Bob", "answer_start": 13}]
    content = squad(is_impossible=True, plausible_answers=plausible)
    assert read_questions(written(tmp_path, content))[0].answers == ()


@pytest.mark.parametrize(
    ("text", "start", "found"),
    [("Bob", 13, 13), ("wrote", 99, 4), ("Bob", 12, 13), ("Bob", 20, 22), ("Eve", 0, None)],
)
def test_a_wrong_place_becomes_the_nearest_one(
    tmp_path: Path, text: str, start: int, found: int | None
) -> None:
    path = written(tmp_path, squad({"text": text, "answer_start": start}))
    is_moved = found not in (start, None)
    assert read_questions(path)[0].answers == (Answer(text, found, is_moved),)


@pytest.mark.parametrize(
    ("context", "text", "start", "found"),
    [
        ("é, Bob und Bob", "Bob", len("é, Bob und ".encode()), 11),  # bytes
        ("\U0001f600, Bob und Bob", "Bob", 12, 11),  # UTF-16 units, as JavaScript counts
        ("在２０１８年，他", "2018年", 1, 1),  # full-width digits on one side
        ("the\nend of it", "The end", 0, 0),
    ],
)
def test_places_that_other_programs_counted(
    context: str, text: str, start: int, found: int
) -> None:
    assert placed(text, start, context).start == found


def test_other_forms_of_the_same_questions(tmp_path: Path) -> None:
    """A list of articles, passages without articles, flat objects, and an object a line."""
    answer = {"text": "Bob", "answer_start": 13}
    asked = {"id": 7, "question": "Who?", "answers": [answer, answer]}
    passage = {"context": CONTEXT, "qas": [asked]}
    lists = {"text": ["Bob"], "answer_start": [13]}
    flat = {"id": "7", "context": CONTEXT, "question": "Who?", "answers": lists}
    forms = ({"data": [passage]}, [{"paragraphs": [passage]}], [passage], passage, flat, [flat])
    for form in forms:
        (question,) = read_questions(written(tmp_path, form))
        assert (question.key, question.answers) == ("7", (Answer("Bob", 13),))
    path = tmp_path / "lines.jsonl"
    path.write_text(f"{json.dumps(flat)}\n\n{json.dumps({**flat, 'id': 8})}\n")
    assert [question.key for question in read_questions(path)] == ["7", "8"]
    path.write_text(f"{json.dumps(flat)}\n{{\n")
    with pytest.raises(CorpusError, match=r"lines\.jsonl is not JSON"):
        read_questions(path)


def test_an_empty_answer_is_none(tmp_path: Path) -> None:
    content = squad({"text": " ", "answer_start": 0}, {"text": "", "answer_start": -1})
    assert read_questions(written(tmp_path, content))[0].answers == ()


def test_what_is_wrong_with_answers_is_said(tmp_path: Path) -> None:
    def questions(*answers: tuple[str, int]) -> list[Question]:
        qas = [
            {"id": str(at), "question": "Who?", "answers": [{"text": text, "answer_start": start}]}
            for at, (text, start) in enumerate(answers)
        ]
        return read_questions(written(tmp_path, {"data": [{"context": CONTEXT, "qas": qas}]}))

    right = ("Bob", 13)
    assert find_question_problems(questions(right), questions(right)) == []
    lost, moved = find_question_problems(questions(right, right, ("Eve", 0), ("Bob", 12)))
    assert (lost.severity, moved.severity) == ("warning", "warning")
    assert lost.sentence.startswith("1 of 4 questions to learn from has answers that do not occur")
    assert "question '2': 'Eve'" in lost.sentence
    assert "1 of 4 answers does not begin where 'answer_start' says" in moved.sentence
    assert "question '3': 'Bob' begins at 13" in moved.sentence
    assert str(tmp_path / "a.json") in str(moved)
    (refused,) = find_question_problems(questions(("Eve", 0), ("Adam", 1), right))
    assert refused.severity == "error"
    assert "2 of 3 questions" in refused.sentence
    assert find_question_problems([], questions(("Eve", 0))) == []  # a test row is judged by text


def test_cmrc_gives_answers_without_places(tmp_path: Path) -> None:
    asked = {"query_id": "q1", "query_text": "谁?", "answers": ["乙", "丙"]}
    content = [{"context_id": "1", "context_text": "甲乙乙", "title": "T", "qas": [asked]}]
    (question,) = read_questions(written(tmp_path, content))
    assert (question.key, question.context, question.title) == ("q1", "甲乙乙", "T")
    assert question.answers == (Answer("乙", 1), Answer("丙", None))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "a.json has no questions; give a file in the form of SQuAD or CMRC."),
        ({"data": []}, "a.json has no questions"),
        ({"version": 1}, "a.json: 'data' is missing; files of questions have an array there."),
        ("text", "a.json: a string stands where an object is expected."),
        ({"data": [{"paragraphs": [1]}]}, "a.json, data 1, paragraphs 1: a number stands where"),
        (squad({"text": "Ada"}), "data 1, paragraphs 1, qas 1, answers 1: 'answer_start' is miss"),
        (squad(id=[]), "paragraphs 1, qas 1: 'id' is an array; write it as text or a whole numb"),
        ([{"context": "", "qas": [{}]}], "entry 1, qas 1: 'question' is missing; files of questi"),
        (
            [{"context_text": "", "qas": [{"query_id": "", "query_text": "", "answers": [1]}]}],
            "a.json, entry 1, qas 1: an answer is a number, not a string.",
        ),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, content: Any, sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_questions(written(tmp_path, content))
    assert sentence in str(caught.value)


def test_what_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"a\.json is not JSON .*; download it again"):
        read_questions(tmp_path / "a.json")


@pytest.mark.shared_data
def test_squad_dev(shared_data: Path) -> None:
    questions = read_questions(shared_data / "squad" / "dev-v1.1.json.xz")
    assert len(questions) == 10_570
    for question in questions:
        for answer in question.answers:
            assert answer.start is not None
            assert question.context.startswith(answer.text, answer.start)


def test_another_encoding(tmp_path: Path) -> None:
    asked = {"query_id": "q1", "query_text": "谁?", "answers": ["乙"]}
    content = [{"context_id": "1", "context_text": "甲乙", "title": "T", "qas": [asked]}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="gb18030")
    (question,) = read_questions(path, QuestionsConfig(encoding="gb18030"))
    assert question.context == "甲乙"
    with pytest.raises(SettingError) as caught:
        QuestionsConfig.checked({"encoding": "utf-9"}, "rows")
    assert str(caught.value) == (
        "[rows] encoding = 'utf-9': Python knows no such text encoding; try 'utf-8', 'cp1252', "
        "'latin-1', 'gb18030' or 'utf-16'."
    )


def test_hostile_files(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"data":' * 50_000)
    with pytest.raises(CorpusError, match=r"is not JSON .*nested too deeply"):
        read_questions(path)
    half = squad({"text": "\ud83d", "answer_start": 0})
    with pytest.raises(CorpusError, match="half of a surrogate pair"):
        read_questions(written(tmp_path, half))
    path.write_text("\n" * ((1 << 20) + 1))
    with pytest.raises(
        CorpusError, match=r"more than 1,048,576 bytes of text; .* rows.max_piece_bytes"
    ):
        read_questions(path, QuestionsConfig(max_piece_bytes=1 << 20))
