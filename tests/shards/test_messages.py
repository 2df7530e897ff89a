from __future__ import annotations

import io
from pathlib import Path

import pytest

from foretext.errors import CorpusError, ForetextError, OutputError, UnknownWordError
from foretext.shards.messages import (
    Task,
    answer_line,
    read_answer,
    read_task,
    read_work,
    task_line,
    work_line,
)
from foretext.shards.work import ShardWork


def test_work_and_tasks_arrive_as_they_were_sent() -> None:
    work = ShardWork("a.b:c", '{"line": "1\\n2"}', Path("some folder/\u8239"))
    data = b"\x00\n[\xff"
    folder = work.result(3)
    sent = work_line(work) + task_line(folder, len(data)) + data + task_line(folder, 0)
    lines = io.BytesIO(sent)
    assert read_work(lines) == work
    assert read_task(lines) == Task(folder, data)
    assert read_task(lines) == Task(folder, b"")
    assert read_task(lines) is None


def test_a_shard_that_was_cut_off_is_none() -> None:
    assert read_task(io.BytesIO(task_line(Path("x"), 5) + b"1234")) is None


@pytest.mark.parametrize("kind", [CorpusError, OutputError, ForetextError])
def test_a_problem_keeps_its_class(kind: type[ForetextError]) -> None:
    answer = read_answer(answer_line(kind("line 1\nline 2")))
    assert type(answer) is kind
    assert str(answer) == "line 1\nline 2"


def test_a_problem_of_a_class_with_more_than_a_sentence_is_a_plain_one() -> None:
    answer = read_answer(answer_line(UnknownWordError("x", [])))
    assert type(answer) is ForetextError


def test_no_problem() -> None:
    assert read_answer(answer_line()) is None
