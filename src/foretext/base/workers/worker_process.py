"""One worker process, as the process that asks it sees it.

What a process and its workers say to each other through pipes: lines of JSON. To a worker go
values that its module knows. From it comes one line for each thing it is asked for: ``[result,
null]``, or ``[null, [class, sentence]]`` of what went wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import IO, Any, BinaryIO

from foretext.base import errors
from foretext.base.errors import ForetextError, SettingError
from foretext.base.leaving import undone_when_leaving
from foretext.base.parsing.json_file import json_value
from foretext.base.system import ignored_broken_pipe
from foretext.messages import passed_on

__all__ = [
    "WorkerLostError",
    "WorkerProcess",
    "answer_line",
    "read_answer",
    "read_values",
    "values_line",
]

MADE_OF_A_SENTENCE = ("CorpusError", "OutputError", "SettingError")


class WorkerLostError(Exception):
    """A worker process has ended before it answered.

    Args:
        code: that it ended with.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"a worker process ended (code {code})")
        self.code = code


class WorkerProcess:
    """A process that answers what it is asked through pipes, in order and a line each time.

    It ends with the one that started it, whose end its module sees (`Service`).

    Args:
        module: that it runs, as ``python -P -m MODULE``: no file of the working folder takes the
            place of a module that it imports.
        arguments: of its command line.
        remedy: what the user can do where the system starts no more processes.
        descriptors: of files that it shares with this process.

    Raises:
        SettingError: the system starts no more processes.
    """

    def __init__(
        self, module: str, *arguments: str, remedy: str, descriptors: Sequence[int] = ()
    ) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=tuple(descriptors),
                env=passed_on(),
            )
        except OSError as error:
            raise SettingError(
                f"The system starts no more processes ({error.strerror}); {remedy}."
            ) from error
        self._exits = ExitStack()
        self._exits.enter_context(undone_when_leaving(self.kill))

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def tell(self, *message: bytes) -> None:
        """Write a message, in parts, whether or not it is still there to read it."""
        stdin = _pipe(self._process.stdin)
        with ignored_broken_pipe():  # that it has ended is seen where its answer is read
            for part in message:
                stdin.write(part)
            stdin.flush()

    def answer(self) -> bytes | None:
        """Wait for the next line from it; None: it has ended."""
        line = _pipe(self._process.stdout).readline()
        return line if line.endswith(b"\n") else None

    def exit_code(self) -> int:
        """Wait for its end, and return the code that it ended with."""
        return self._process.wait()

    def kill(self) -> None:
        """Kill it, as the system does where memory is short."""
        self._process.kill()

    def end(self) -> None:
        """End it at once; it has to leave nothing half-done that others see."""
        self.kill()
        self._process.wait()
        self._exits.close()
        for stream in (self._process.stdin, self._process.stdout):
            with ignored_broken_pipe():  # it had ended before it read all
                _pipe(stream).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened as a pipe"
    return stream


def values_line(*values: Any) -> bytes:
    """Return the line that says some values."""
    return json.dumps(values).encode() + b"\n"


def read_values(lines: BinaryIO) -> list[Any] | None:
    """Read the next values; None: there are no more, or their line was cut off."""
    line = lines.readline()
    return json_value(line.decode()) if line.endswith(b"\n") else None


def answer_line(result: Any = None, problem: ForetextError | None = None) -> bytes:
    """Return the line that answers one question."""
    return values_line(result, problem and [type(problem).__name__, str(problem)])


def read_answer(line: bytes) -> Any:
    """Return the result that an answer has.

    Raises:
        ForetextError: what went wrong instead.
    """
    result, problem = json_value(line.decode())
    if problem is None:
        return result
    name, sentence = problem
    kind = getattr(errors, name) if name in MADE_OF_A_SENTENCE else ForetextError
    raise kind(sentence)
