"""Signals in processes of their own: what is at work, what is in a native call, what is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from foretext.base.interruption import Interruption, answered_signals, signalled
from foretext.messages import VARIABLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

BEGINNING = """
import hashlib, os, signal, subprocess, sys, time
from pathlib import Path
from foretext.base import interruption
from foretext.base.errors import Interrupted
from foretext.base.files import atomic_folder
from foretext.base.interruption import GO_ON, Interruption, answered_signals
from foretext.base.leaving import undone_when_leaving, waited_for
interruption.ANSWER_SECONDS = 0.7
OUT = Path(sys.argv[1])

def native():  # neither a signal nor Python's lock can reach it
    (OUT / "begun").touch()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

def awaited(stop):
    (OUT / "begun").touch()
    while stop.requested is None:
        time.sleep(0.01)
"""


class End(NamedTuple):
    """How a process ended after its signals."""

    code: int
    said: str
    seconds: float


def ended(script: str, folder: Path, *signals: signal.Signals, gap: float = 0.5) -> End:
    """Run a script, and send it signals once it has begun, `gap` seconds apart."""
    command = [sys.executable, "-c", BEGINNING + script, str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    while not (folder / "begun").exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    began = time.monotonic()
    for place, number in enumerate(signals):
        time.sleep(gap if place else 0)
        process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    return End(process.returncode, said, time.monotonic() - began)


NATIVE_AT_WORK = """
with answered_signals(), Interruption():
    native()
"""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_native_call_is_left(tmp_path: Path, number: signal.Signals) -> None:
    end = ended(NATIVE_AT_WORK, tmp_path, number)
    assert end.code == 130
    assert end.said == (
        "foretext: Stopped by a signal in the middle of a long computation; what was saved before "
        "it is kept.\n"
    )
    assert 0.6 < end.seconds < 5


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    script = "interruption.ANSWER_SECONDS = 50\n" + NATIVE_AT_WORK
    end = ended(script, tmp_path, signal.SIGTERM, signal.SIGINT)
    assert (end.code, end.said.count("\n")) == (130, 1)
    assert end.seconds < 5


def test_signals_that_come_together_are_one(tmp_path: Path) -> None:
    """`timeout` and torchrun send one to a process, and again to its group."""
    script = """
with answered_signals():
    with Interruption() as stop:
        awaited(stop)
        time.sleep(0.5)
        (OUT / "saved").touch()
"""
    end = ended(script, tmp_path, signal.SIGTERM, signal.SIGTERM, gap=0.02)
    assert (end.code, end.said) == (0, "")
    assert (tmp_path / "saved").exists()


@pytest.mark.slow
def test_what_is_being_saved_is_waited_for(tmp_path: Path) -> None:
    script = """
with answered_signals(), Interruption() as stop:
    awaited(stop)
    with waited_for():
        time.sleep(2)
        (OUT / "saved").touch()
    native()
"""
    end = ended(script, tmp_path, signal.SIGINT)
    assert end.code == 130
    assert (tmp_path / "saved").exists()
    assert end.seconds > 2


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("work", ["native", "python"])
def test_nothing_is_left_behind(tmp_path: Path, work: str) -> None:
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
(OUT / "child").write_text(str(child.pid))
def end():
    child.kill()
    child.wait()
    return GO_ON
""" + {
        "native": """
with answered_signals(), Interruption(), undone_when_leaving(end):
    with atomic_folder(OUT / "result") as partial:
        (partial / "half").touch()
        native()
""",
        "python": """
with answered_signals(), undone_when_leaving(end), atomic_folder(OUT / "result") as partial:
    (partial / "half").touch()
    (OUT / "begun").touch()
    while True:
        pass
""",
    }[work]
    end = ended(script, tmp_path, signal.SIGTERM)
    assert end.code == 130
    assert end.said.endswith("; go on with --resume.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun", "child"]
    child = (tmp_path / "child").read_text()
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.slow
def test_a_fork_has_its_own_signals(tmp_path: Path) -> None:
    script = """
def act():
    if os.getpid() != parent:
        (OUT / "undone").touch()
parent = os.getpid()
with answered_signals(), undone_when_leaving(act):
    child = os.fork()
    if child == 0:
        (OUT / "begun").touch()
        time.sleep(30)
        os._exit(7)
    while not (OUT / "begun").exists():
        time.sleep(0.01)
    os.kill(child, signal.SIGTERM)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    time.sleep(1.5)  # longer than an answer may take
    sys.exit(code + 100)
"""
    end = ended(script, tmp_path)
    assert end.code in (100 - signal.SIGTERM, 230), end.said
    assert not (tmp_path / "undone").exists()  # that is the parent's


def test_a_reader_that_does_not_read_stops_nobody(tmp_path: Path) -> None:
    """Standard error is a full pipe: the sentence is lost, and the end is not."""
    script = (
        """
reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while os.write(writer, b"x" * 4096):
        pass
except BlockingIOError:
    os.set_blocking(writer, True)
os.dup2(writer, 2)
"""
        + NATIVE_AT_WORK
    )
    assert ended(script, tmp_path, signal.SIGTERM).code == 130


def test_without_a_command_the_second_signal_is_a_ctrl_c() -> None:
    """As in a program begun from a terminal; a shell's background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _two_signals()
    finally:
        signal.signal(signal.SIGINT, before)


def _two_signals() -> None:
    with Interruption() as outer, Interruption() as stop:
        assert stop.requested is None
        signal.raise_signal(signal.SIGINT)
        assert (stop.requested, outer.requested) == ("SIGINT", "SIGINT")
    with Interruption():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_handlers_come_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with answered_signals(), answered_signals():
        assert signal.getsignal(signal.SIGINT) != before[0]
        assert not signalled()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


A_RUN = """
from foretext.pretraining.job import run_folder
with answered_signals(), run_folder(OUT / "run", overwrite=False, resume=False) as run:
    run.note("It has begun.")
"""


def test_a_run_that_has_learned_nothing_is_begun_again(tmp_path: Path) -> None:
    script = (
        A_RUN
        + """
    awaited(Interruption())
"""
    )
    end = ended(script, tmp_path, signal.SIGTERM)
    assert end.said == (
        "foretext: Stopped by a signal; nothing was learned yet, so give the command again.\n"
    )
    assert not (tmp_path / "run").exists()


def test_the_sentence_is_in_the_language_of_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    script = """
with answered_signals(), undone_when_leaving(lambda: GO_ON):
    (OUT / "begun").touch()
    time.sleep(60)
"""
    end = ended(script, tmp_path, signal.SIGTERM)
    assert (end.code, end.said) == (130, "foretext: 被信号停止；请用 --resume 继续。\n")


def test_a_run_that_has_read_its_text_is_resumed(tmp_path: Path) -> None:
    script = (
        A_RUN
        + """
    run.recipe.touch()
    run.tokens.mkdir()
    with Interruption():
        native()
"""
    )
    end = ended(script, tmp_path, signal.SIGINT)
    assert end.said.endswith("in the middle of a long computation; go on with --resume.\n")
    assert (tmp_path / "run" / "tokens").is_dir()


def test_a_signal_waits_until_files_have_their_names(tmp_path: Path) -> None:
    script = """
from foretext.base.leaving import moving
with answered_signals():
    with moving():
        (OUT / "begun").touch()
        for _ in range(100):
            time.sleep(0.01)
        (OUT / "moved").touch()
    (OUT / "more").touch()
"""
    end = ended(script, tmp_path, signal.SIGTERM)
    assert end.code == 130
    assert ((tmp_path / "moved").exists(), (tmp_path / "more").exists()) == (True, False)


def test_a_signal_does_not_break_off_what_is_undone(tmp_path: Path) -> None:
    script = """
def act():
    time.sleep(0.5)
    (OUT / "undone").touch()
with answered_signals(), undone_when_leaving(act):
    (OUT / "begun").touch()
    time.sleep(60)
"""
    end = ended(script, tmp_path, signal.SIGTERM, signal.SIGTERM, gap=0.1)
    assert (end.code, end.said.count("\n")) == (130, 1)
    assert (tmp_path / "undone").exists()


def test_a_signal_ends_a_forked_child_without_a_word(tmp_path: Path) -> None:
    script = """
with answered_signals():
    if (child := os.fork()) == 0:
        time.sleep(60)
    time.sleep(0.2)
    os.kill(child, signal.SIGTERM)
    status = os.waitpid(child, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGTERM
"""
    end = ended(script, tmp_path)
    assert (end.code, end.said) == (0, "")
