"""What is said to a process that does shards."""

from __future__ import annotations

import io
from pathlib import Path

from foretext.shards.local import Task, read_task, read_work, task_line, work_line
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


def test_work_that_never_came_is_none() -> None:
    assert read_work(io.BytesIO()) is None
