"""What an engine and the processes that it starts say to each other through pipes.

To a worker: a line of JSON with the work; for each shard a line with the folder of its result and
the number of bytes that follow. From it: a line for each shard, null or what went wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import BinaryIO, NamedTuple

from foretext import errors
from foretext.errors import ForetextError
from foretext.parsing import parse_json
from foretext.shards.work import ShardWork

__all__ = [
    "Task",
    "answer_line",
    "read_answer",
    "read_task",
    "read_work",
    "task_line",
    "work_line",
]


class Task(NamedTuple):
    """One shard to be done."""

    folder: Path
    data: bytes


def work_line(work: ShardWork) -> bytes:
    """Return the first line."""
    return _line([work.opener, work.settings, str(work.folder)])


def read_work(lines: BinaryIO) -> ShardWork:
    """Read the first line."""
    values: list[str] = parse_json(lines.readline(), "the work", ForetextError, list[str])
    opener, settings, folder = values
    return ShardWork(opener, settings, Path(folder))


def task_line(folder: Path, num_bytes: int) -> bytes:
    """Return the line of a shard, which its data follow."""
    return _line([str(folder), num_bytes])


def read_task(lines: BinaryIO) -> Task | None:
    """Read a shard; None: there are no more."""
    line = lines.readline()
    if not line:
        return None
    values: tuple[str, int] = parse_json(line, "a shard", ForetextError, tuple[str, int])
    data = lines.read(values[1])
    return Task(Path(values[0]), data) if len(data) == values[1] else None


def answer_line(problem: ForetextError | None = None) -> bytes:
    """Return the answer to a shard."""
    return _line(None if problem is None else [type(problem).__name__, str(problem)])


def read_answer(line: bytes) -> ForetextError | None:
    """Read the answer to a shard: what went wrong, if anything did."""
    values: list[str] | None = parse_json(line, "an answer", ForetextError, list[str] | None)
    if values is None:
        return None
    name, sentence = values
    plain = name in ("CorpusError", "OutputError", "SettingError")  # made of a sentence alone
    return getattr(errors, name)(sentence) if plain else ForetextError(sentence)


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"
