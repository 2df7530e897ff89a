"""A process that is asked, that dies, and that is ended."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import pytest

from foretext.base.errors import (
    CorpusError,
    ForetextError,
    OutputError,
    SettingError,
    UnknownWordError,
)
from foretext.base.workers import WorkerProcess, answer_line, read_answer, read_values, values_line

ECHO = "tests.base.workers.echo"


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess(ECHO, "SIGINT", remedy="wait")
    yield worker
    worker.end()


def asked(worker: WorkerProcess, *values: Any) -> Any:
    worker.tell(values_line(*values))
    answer = worker.answer()
    assert answer is not None
    return read_answer(answer)


def test_it_answers_in_order_and_runs_without_modules_of_the_working_folder(
    worker: WorkerProcess,
) -> None:
    for number in range(3):
        worker.tell(values_line(number)[:3], values_line(number)[3:])
    assert [read_answer(worker.answer() or b"") for _ in range(3)] == [
        [True, "SIGINT", number] for number in range(3)
    ]
    assert worker.is_alive


def test_one_that_died_answers_nothing(worker: WorkerProcess) -> None:
    worker.tell(values_line("end", os.devnull))
    assert worker.answer() is None
    assert worker.exit_code() == 4
    assert not worker.is_alive
    worker.tell(values_line("nobody reads it"))
    assert worker.answer() is None
    worker.end()


def test_half_an_answer_is_none(worker: WorkerProcess) -> None:
    worker.tell(values_line("end", "in the middle"))
    assert worker.answer() is None
    assert worker.exit_code() == 3


def test_one_that_is_at_work_is_ended(worker: WorkerProcess) -> None:
    assert asked(worker, "a") == [True, "SIGINT", "a"]
    worker.kill()
    assert worker.answer() is None
    worker.end()
    assert worker.exit_code() == -9


@pytest.mark.skipif(os.name != "posix", reason="no descriptors are inherited")
def test_it_has_the_files_that_it_is_given() -> None:
    reading, writing = os.pipe()
    worker = WorkerProcess(
        "tests.base.workers.writer", str(writing), remedy="", descriptors=[writing]
    )
    os.close(writing)
    with os.fdopen(reading) as file:
        assert file.read() == "written"
    worker.end()


def test_no_more_processes_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", os.devnull)
    with pytest.raises(SettingError, match=r"starts no more processes \(.+\); take fewer\.$"):
        WorkerProcess(ECHO, remedy="take fewer")


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
