"""A process that does shards: ``python -P -m foretext.shards.worker``.

It ends with its standard input, so that it does not outlive the process that asks it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import BinaryIO

from foretext.errors import ForetextError
from foretext.shards.messages import answer_line, read_task, read_work
from foretext.shards.work import Fill, fill_shard

__all__: list[str] = []


def _serve(lines: BinaryIO, answers: BinaryIO) -> None:
    work = read_work(lines)
    fill: Fill | None = None  # opened with the first shard, for what it may refuse
    while (task := read_task(lines)) is not None:
        problem: ForetextError | None = None
        try:
            fill = fill or work.opened()
            fill_shard(fill, task.data, task.folder)
        except ForetextError as error:
            problem = error
        answers.write(answer_line(problem))
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    _serve(sys.stdin.buffer, own)
