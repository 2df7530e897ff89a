"""A worker process from within."""

from __future__ import annotations

import subprocess
import sys

import pytest

from foretext.base.errors import CorpusError
from foretext.base.workers import (
    WorkerLostError,
    WorkerPool,
    WorkerProcess,
    read_answer,
    values_line,
)

ECHO = "tests.base.workers.echo"


def pool(*signals: str) -> WorkerPool:
    """Return one process that ignores signals."""
    return WorkerPool(1, lambda: WorkerProcess(ECHO, *signals, remedy=""))


def test_a_problem_is_an_answer_and_it_goes_on() -> None:
    with pool() as workers:
        with pytest.raises(CorpusError, match=r"^there is no text\.$"):
            workers.ask(values_line("fail", "there is no text."))
        assert workers.ask(values_line("a")) == [True, "a"]


def test_what_is_printed_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    with pool() as workers:
        assert workers.ask(values_line("print")) == [True, "print"]
    assert capfd.readouterr().err == "to nobody\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals end the process there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_ignores_the_signals_that_it_was_told(name: str) -> None:
    with pool(name) as workers:
        assert workers.ask(values_line("signal", name)) == [True, name, "signal", name]
    with pool() as workers, pytest.raises(WorkerLostError):
        workers.ask(values_line("signal", "SIGTERM"))


def started() -> subprocess.Popen[bytes]:
    """Return a process with all its pipes in our hands."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-m", ECHO], **pipes)  # type: ignore[call-overload, no-any-return]


def test_it_ends_with_its_input() -> None:
    output, errors = started().communicate(values_line("a") + values_line("b")[:-1])
    assert read_answer(output) == [False, "a"]
    assert errors == b""


def test_nobody_who_reads_is_its_end_without_a_traceback() -> None:
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(values_line("a"))
        process.stdin.flush()
        assert process.wait() == 0
        assert process.stderr.read() == b""
