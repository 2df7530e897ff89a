"""A process that learns with others: ``python -P -m foretext.vectors.replicas.worker``.

It ends with its standard input, so that it does not outlive the process that started it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, BinaryIO

from foretext.errors import ForetextError
from foretext.registry import imported
from foretext.vectors.replicas.messages import answer_line, read_asking

__all__: list[str] = []


def _serve(lines: BinaryIO, answers: BinaryIO) -> None:
    part: Any = None  # opened by the first line
    while (asked := read_asking(lines)) is not None:
        name, arguments = asked
        result, problem = None, None
        try:
            if part is None:
                part = imported(name)(*arguments)
            else:
                result = part.do(name, arguments)
        except ForetextError as error:
            problem = str(error)
        try:
            answers.write(answer_line(result, problem))
            answers.flush()
        except BrokenPipeError:  # nobody is there any more
            os._exit(0)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # a terminal sends them to all processes
        signal.signal(number, signal.SIG_IGN)
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    _serve(sys.stdin.buffer, own)
