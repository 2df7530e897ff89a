"""A process that cleans shards: ``python -P -m foretext.cleaning.worker``.

It ends with its standard input, so that it does not outlive the process that asks it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import BinaryIO

from foretext.cleaning.messages import answer_line, read_shard, read_start
from foretext.cleaning.shard_cleaning import ShardCleaner
from foretext.errors import ForetextError

__all__: list[str] = []


def _work(lines: BinaryIO, answers: BinaryIO) -> None:
    request, folder = read_start(lines)
    cleaner: ShardCleaner | None = None  # opened with the first shard, for what it may refuse
    while line := lines.readline():
        problem = None
        try:
            cleaner = cleaner or ShardCleaner(request, folder)
            cleaner.clean(*read_shard(line))
        except ForetextError as error:
            problem = str(error)
        answers.write(answer_line(problem))
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    _work(sys.stdin.buffer, own)
