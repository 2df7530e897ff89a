"""The command in a process of its own: streams, signals and exit codes, as a shell sees them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foretext.cli.shared import print_json
from tests.cli.conftest import Command

WORDS = "3 2\nship 1 2\n海\x1b[31m 1 1\n\u202esea\x9b 2 1\n"


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    path.write_text(WORDS, encoding="utf-8")
    return path


def shell(script: str, vectors: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, where $foretext is the command and $vectors a file of three words."""
    given = {"foretext": f"{sys.executable} -m foretext", "vectors": str(vectors), **environment}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        capture_output=True,
        env=os.environ | given,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=60,
    )


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("arguments", ["neighbors $vectors ship", "--help"])
def test_a_closed_pipe_is_no_error(vectors: Path, arguments: str) -> None:
    done = shell(f"$foretext {arguments} | head -0", vectors)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
def test_a_full_device(vectors: Path) -> None:
    done = shell("$foretext neighbors $vectors ship > /dev/full", vectors)
    assert done.returncode == 2
    assert done.stderr.startswith("foretext: standard output cannot be written: the disk is full")
    assert done.stderr.count("\n") == 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("$foretext neighbors $vectors ship >&-", "foretext: Standard output is closed"),
        ("$foretext embed $vectors <&-", "foretext: Standard input is closed"),
        ("$foretext neighbors $vectors shi 2>&-", ""),
    ],
)
def test_closed_streams(vectors: Path, script: str, told: str) -> None:
    done = shell(script, vectors)
    assert done.returncode == 2
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_poor_encodings(vectors: Path, environment: dict[str, str]) -> None:
    done = shell("$foretext neighbors $vectors ship --json", vectors, **environment)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["ship"]) == {"海\x1b[31m", "\u202esea\x9b"}
    assert done.stdout.isascii()


def test_an_argument_that_is_not_utf_8(vectors: Path) -> None:
    done = shell("$foretext neighbors $'x\\xff' ship", vectors)
    assert done.returncode == 2
    assert done.stderr.startswith("foretext: 'x\\udcff' is not UTF-8")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_begins(vectors: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "foretext", "embed", str(vectors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)  # it waits for text
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().startswith("foretext: Stopped by a signal")


SIGNALLED_IN_A_CALLBACK = """
import ctypes, os, signal, sys, time
from foretext.cli import app, entry

def command(**_):
    def callback():
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(1000))  # an exception here leads nowhere
    ctypes.CFUNCTYPE(None)(callback)()
    time.sleep(20)

app.app = command
entry.run()
"""


def test_a_signal_while_c_calls_python() -> None:
    command = [sys.executable, "-c", SIGNALLED_IN_A_CALLBACK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=15)
    assert done.returncode == 130
    assert done.stderr == "foretext: Stopped by a signal; what was saved before it is kept.\n"


def test_words_cannot_steer_the_terminal(command: Command, vectors: Path) -> None:
    for arguments in (["ship"], ["海\x1b[31m"], ["\x1b[2J"], ["ship", "--json"], ["--\x1b[2J"]):
        done = command("neighbors", vectors, *arguments)
        assert not {"\x1b", "\x9b", "\u202e"} & set(done.out + done.err)
    assert "\\x1b[2J" in done.err


def test_titles_are_no_markup(command: Command, vectors: Path, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("2 2\n[red] 1 2\nsea 2 1\n")
    assert "[red]" in command("neighbors", path, "[red]").out


def test_a_name_that_is_too_long(command: Command, vectors: Path) -> None:
    long = "a" * 300
    for arguments in (["neighbors", long, "a"], ["fill", long, "[MASK]"], ["embed", vectors, long]):
        done = command(*arguments)
        assert done.code == 2, done
        assert "too long" in done.err
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("error", [MemoryError, RecursionError, OSError(5, "I/O error", "disk")])
def test_the_machine_refuses(
    command: Command, vectors: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("foretext.artifact.load_vectors", broken)
    done = command("neighbors", vectors, "ship")
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_usage_is_a_sentence(command: Command, vectors: Path) -> None:
    done = command("neighbors", vectors, "ship", "--tpo", "3")
    assert done.code == 2
    assert "see `foretext neighbors --help`" in done.err
    assert done.err.count("\n") == 1
    assert command().code == 2


def test_debug_shows_the_traceback_and_keeps_the_code(command: Command, vectors: Path) -> None:
    done = command("--debug", "neighbors", vectors, "shi")
    assert done.code == 2
    assert "Traceback" in done.err


def test_trust_before_and_after_the_verb(
    command: Command, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted: list[str] = []
    monkeypatch.setattr("foretext.cli.shared.trust", lambda *names: trusted.extend(names))
    verb = ["neighbors", vectors, "ship"]
    done = command("--trust", "first", *verb, "--trust", "second", "--trust=third")
    assert done.code == 0, done.err
    assert trusted == ["first", "second", "third"]
    assert "--trust" in command("--help").out
    assert "--trust" in command("neighbors", "--help").out


def test_json_has_null_where_there_is_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [float("nan"), 1.5], "b": {"c": float("-inf")}, "d": (1, "x")})
    assert json.loads(capsys.readouterr().out) == {
        "a": [None, 1.5],
        "b": {"c": None},
        "d": [1, "x"],
    }


def test_a_command_to_try_is_safe_to_paste(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("$(reboot) a b $(reboot) c\n" * 20)
    settings = ["--set", "tokenizer.pre_tokenizer=whitespace", "--set", "vectors.epochs=1"]
    done = command(
        "pretrain", "word2vec", "corpus.txt", "-o", "a; b", "--no-report", "-q", *settings
    )
    assert "foretext neighbors 'a; b' '$(reboot)'" in done.out
