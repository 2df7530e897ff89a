from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.data.rows import Answer, Question, QuestionsConfig, read_questions
from foretext.errors import CorpusError, SettingError

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
    [("Bob", 13, 13), ("wrote", 99, 4), ("wrote", -1, 4), ("Bob", 14, None), ("Eve", 0, None)],
)
def test_a_wrong_place_is_mended_where_there_is_one_other(
    tmp_path: Path, text: str, start: int, found: int | None
) -> None:
    path = written(tmp_path, squad({"text": text, "answer_start": start}))
    assert read_questions(path)[0].answers == (Answer(text, found),)


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
        (squad(id=3), "paragraphs 1, qas 1: 'id' is a number; files of questions have a string"),
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
    with pytest.raises(CorpusError, match=r"more than 1,048,576 bytes of text; .* max_piece_bytes"):
        read_questions(path, QuestionsConfig(max_piece_bytes=1 << 20))
