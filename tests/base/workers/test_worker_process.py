"""A process that is asked, that dies, and that is ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.base.workers import WorkerProcess, read_answer, values_line

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
