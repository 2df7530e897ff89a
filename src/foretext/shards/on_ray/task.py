"""What a node does with a shard; its result travels back, so that nodes need not share a folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from foretext.base.errors import ForetextError
from foretext.base.files import temporary_folder
from foretext.base.workers import answer_line
from foretext.shards.work import Fill, ShardWork

__all__ = ["TARGET", "ShardResult", "do_shard"]

TARGET = "foretext.shards.on_ray.task:do_shard"

ShardResult = tuple[bytes, dict[str, bytes]]  # an answer as of a worker process, and files by name


def do_shard(opener: str, settings: str, data: bytes) -> ShardResult:
    """Do one shard, and return its files."""
    try:
        fill = _opened(opener, settings)
        with temporary_folder() as folder:
            fill(data, folder)
            return answer_line(), {file.name: file.read_bytes() for file in folder.iterdir()}
    except ForetextError as error:
        return answer_line(problem=error), {}


@lru_cache(maxsize=1)
def _opened(opener: str, settings: str) -> Fill:
    return ShardWork(opener, settings, Path()).opened()
