"""Lines between a process and its workers."""

from __future__ import annotations

import io

import pytest

from foretext.base.errors import CorpusError, ForetextError, OutputError, UnknownWordError
from foretext.base.workers import answer_line, read_answer, read_values, values_line


def test_values_arrive_as_they_were_said() -> None:
    lines = io.BytesIO(
        values_line("learn", [1, 0.1, "ä\n"]) + values_line() + values_line("\ud800")
    )
    assert [read_values(lines) for _ in range(4)] == [
        ["learn", [1, 0.1, "ä\n"]],
        [],
        ["\ud800"],
        None,
    ]


def test_half_a_line_is_the_end() -> None:
    assert read_values(io.BytesIO(values_line("learn", 1)[:-1])) is None


@pytest.mark.parametrize("result", [None, [1.5, 2], "\ud800\n", 0])
def test_a_result(result: object) -> None:
    assert read_answer(answer_line(result)) == result


@pytest.mark.parametrize("kind", [CorpusError, OutputError, ForetextError])
def test_a_problem_keeps_its_class(kind: type[ForetextError]) -> None:
    with pytest.raises(kind, match=r"^line 1\nline 2$") as raised:
        read_answer(answer_line(problem=kind("line 1\nline 2")))
    assert type(raised.value) is kind


def test_a_problem_of_a_class_with_more_than_a_sentence_is_a_plain_one() -> None:
    with pytest.raises(ForetextError, match="'x'") as raised:
        read_answer(answer_line(problem=UnknownWordError("x", [])))
    assert type(raised.value) is ForetextError
