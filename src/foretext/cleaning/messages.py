"""What the process that cleans a corpus and those that clean its shards say to each other.

To a worker: a line with the folder of shards, a line with the request, and a line for each shard.
From it: a line for each shard, which is empty, or has the sentence of what went wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

from foretext.cleaning.documents import Document
from foretext.cleaning.request import Request
from foretext.errors import ForetextError
from foretext.parsing import parse_json

__all__ = ["answer_line", "read_answer", "read_shard", "read_start", "shard_line", "start_lines"]


def start_lines(request: Request, work: Path) -> bytes:
    """Return the first two lines."""
    return _line(str(work)) + request.model_dump_json().encode() + b"\n"


def read_start(lines: BinaryIO) -> tuple[Request, Path]:
    """Read the first two lines."""
    work: str = parse_json(lines.readline().decode(), "the folder", ForetextError, str)
    request: Request = parse_json(lines.readline().decode(), "the request", ForetextError, Request)
    return request, Path(work)


def shard_line(number: int, documents: list[Document]) -> bytes:
    """Return the line of a shard."""
    return _line([number, documents])


def read_shard(line: bytes) -> tuple[int, list[Document]]:
    """Read the line of a shard."""
    found: tuple[int, list[Document]] = parse_json(
        line.decode(), "a shard", ForetextError, tuple[int, list[Document]]
    )
    return found


def answer_line(problem: str | None = None) -> bytes:
    """Return the answer to a shard."""
    return b"\n" if problem is None else _line(problem)


def read_answer(line: bytes) -> str | None:
    """Read the answer to a shard: what went wrong, if anything did."""
    if not line.strip():
        return None
    problem: str = parse_json(line.decode(), "an answer", ForetextError, str)
    return problem


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"
