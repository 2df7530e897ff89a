"""What is said to a process that does shards, through its pipe.

First a line with the work; for each shard a line with the folder of its result and the number of
bytes that follow.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NamedTuple

from foretext.base.workers import read_values, values_line
from foretext.shards.work import ShardWork

__all__ = ["Task", "read_task", "read_work", "task_line", "work_line"]


class Task(NamedTuple):
    """One shard to be done."""

    folder: Path
    data: bytes


def work_line(work: ShardWork) -> bytes:
    """Return the first line."""
    return values_line(work.opener, work.settings, str(work.folder))


def read_work(lines: BinaryIO) -> ShardWork | None:
    """Read the first line; None: it never came."""
    values = read_values(lines)
    if values is None:
        return None
    opener, settings, folder = values
    return ShardWork(opener, settings, Path(folder))


def task_line(folder: Path, num_bytes: int) -> bytes:
    """Return the line of a shard, which its data follow."""
    return values_line(str(folder), num_bytes)


def read_task(lines: BinaryIO) -> Task | None:
    """Read a shard; None: there are no more, or its data were cut off."""
    values = read_values(lines)
    if values is None:
        return None
    folder, num_bytes = values
    data = lines.read(num_bytes)
    return Task(Path(folder), data) if len(data) == num_bytes else None
