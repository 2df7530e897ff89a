"""`foretext serve`: what it refuses before it starts, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx
import pytest
from typer.main import get_command

from foretext.cli.app import app
from foretext.serving.settings import ServingConfig
from tests.cli.conftest import Command


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("nowhere", "There is nothing at nowhere"),
        ("run again/run", "are both named 'run'; give one another name, as in run-2=again/run"),
        ("b;d=run", "'b;d' is no name of a model; give one, as in NAME=run"),
        ("begun", "begun holds an unfinished run; finish it with --resume"),
        ("run --tls-key key.pem", "TLS needs both --tls-cert and --tls-key"),
        ("run --tls-key bad.pem --tls-cert bad.pem", "cannot be used for TLS"),
        ("run --api-key-file nowhere", "nowhere"),
        ("run --api-key-file empty", "there is no key"),
        ("run --port 70000", "[serve] port = 70000"),
        ("run --host nowhere.invalid", "cannot listen at port 0 of nowhere.invalid"),
        ("run --set max_conections=3", "Did you mean 'max_connections' or"),
        ("run --set max_body", "--set serve.max_body"),
        ("run --max-body much", "[serve] max_body = 'much'"),
        ("words.txt", "words.txt"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(
    arguments: str, sentence: str, command: Command, folder: Path
) -> None:
    done = command("serve", "--port", 0, *arguments.split())
    assert done.code == 2
    assert done.out == ""
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1


def test_a_port_in_use_is_refused(command: Command, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = command("serve", "run", "--port", port)
    assert done.code == 2
    assert f"cannot listen at port {port} of 127.0.0.1: Address already in use" in done.err


def test_every_setting_has_an_option_or_is_named_by_set() -> None:
    verb = get_command(app).commands["serve"]  # type: ignore[attr-defined]
    options = {parameter.name: parameter for parameter in verb.params}
    named = options["settings"].help
    for name in ServingConfig.model_fields:
        assert name.removesuffix("s") in options or name in options or name in named, name


@pytest.fixture
def folder(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to name things in: a run, another one of its name, and what is none."""
    (tmp_path / "run").symlink_to(run)
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "run").symlink_to(run)
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "recipe.toml").write_text("")
    (tmp_path / "words.txt").write_text("no vectors\n")
    (tmp_path / "empty").write_text("# none\n")
    (tmp_path / "bad.pem").write_text("-----BEGIN CERTIFICATE-----\nnothing\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# A process


class Served(NamedTuple):
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    said: str  # its first line

    def ended(self) -> tuple[int, str]:
        """Wait for its end: the exit code, and standard error."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def _with_terminal() -> None:
    """Obey SIGHUP, also where the tests run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def serving(*arguments: object, before: str = "") -> Iterator[Served]:
    """Start a server; `before` are commands of a shell that becomes it."""
    command = [sys.executable, "-m", "foretext", "serve", *map(str, arguments), "--port", "0"]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ.copy(),
        preexec_fn=None if sys.platform == "win32" else _with_terminal,
    ) as process:
        try:
            stream: IO[str] = process.stdout  # type: ignore[assignment]
            yield Served(process, stream.readline())
        finally:
            process.kill()


def test_a_server_answers_until_it_is_stopped(run: Path) -> None:
    with serving(f"topics={run}", "--json") as served:
        said = json.loads(served.said)
        assert said["models"] == [{"name": "topics", "kind": "word vectors"}]
        if sys.platform.startswith("linux"):
            assert said["ready_after"] > said["seconds"]  # Python and its libraries, too
        answer = httpx.post(
            f"{said['url']}/neighbors", json={"words": ["ship"], "k": 2, "model": "topics"}
        )
        assert len(answer.json()["ship"]) == 2
        served.process.send_signal(signal.SIGTERM)
        code, errors = served.ended()
    assert code == 0
    line, *_, last = errors.splitlines()
    assert json.loads(line)["path"] == "/neighbors"
    assert last == "foretext: Stopped; every request that was accepted has its answer."


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once_and_quietly(run: Path, number: int) -> None:
    with serving(f"topics={run}", "--json") as served:
        url = urlsplit(json.loads(served.said)["url"])
        with socket.create_connection((url.hostname, url.port)) as slow:
            head = "POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000"
            slow.sendall(f"{head}\r\n\r\n{{".encode())
            asked = httpx.get(f"{url.geturl()}/metrics").text
            assert "foretext_requests_in_flight 2.0" in asked  # the slow one has begun
            served.process.send_signal(number)
            with pytest.raises(subprocess.TimeoutExpired):  # it waits for the slow one
                served.process.wait(0.5)
            served.process.send_signal(number)
            code, errors = served.ended()
    assert code == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == (
        "foretext: Stopped at once; requests were left without an answer."
    )


def slow_request(url: SplitResult) -> socket.socket:
    """A connection whose request has begun, and needs 12 bytes more."""
    connection = socket.create_connection((url.hostname or "", url.port or 0), 20)
    head = "POST /neighbors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    connection.sendall(f"{head}\r\nConnection: close\r\nContent-Length: 19\r\n\r\n".encode())
    connection.sendall(b'{"words')
    return connection


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_closed_terminal_loses_no_request(run: Path) -> None:
    with serving(f"topics={run}", "--json") as served:
        url = urlsplit(json.loads(served.said)["url"])
        with closing(slow_request(url)) as slow:
            while (
                "foretext_requests_in_flight 2.0" not in httpx.get(f"{url.geturl()}/metrics").text
            ):
                time.sleep(0.01)
            for _ in range(2):  # the shell and the system both send it
                served.process.send_signal(signal.SIGHUP)
                with pytest.raises(subprocess.TimeoutExpired):
                    served.process.wait(0.3)
            slow.sendall(b'":["ship"]}\n')
            answer = b"".join(iter(lambda: slow.recv(65536), b""))
        code, errors = served.ended()
    assert answer.startswith(b"HTTP/1.1 200")
    assert b'"ship"' in answer
    assert code == 0
    assert "every request that was accepted has its answer" in errors.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_server_without_a_terminal_stays(run: Path) -> None:
    with serving(f"topics={run}", "--json", before="trap '' HUP") as served:
        url = json.loads(served.said)["url"]
        served.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        assert httpx.get(f"{url}/health").status_code == 200
        served.process.send_signal(signal.SIGTERM)
        assert served.ended()[0] == 0


@pytest.mark.quick_cases(1)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("sent", [b"", b"GET /heal"])
def test_idle_connections_beyond_the_files_keep_nobody_out(run: Path, sent: bytes) -> None:
    more = ("--set", "header_seconds=4") if sent else ()  # or they would go by themselves
    with serving(f"topics={run}", "--json", *more, before="ulimit -n 200") as served:
        url = urlsplit(json.loads(served.said)["url"])
        with ExitStack() as stack:
            for _ in range(320):
                place = (url.hostname or "", url.port or 0)
                connection = stack.enter_context(socket.create_connection(place, 20))
                with suppress(ConnectionError):
                    connection.sendall(sent)
            time.sleep(1.2)
            for _ in range(10):
                assert httpx.get(f"{url.geturl()}/health", timeout=20).status_code == 200
        served.process.send_signal(signal.SIGTERM)
        code, errors = served.ended()
    assert code == 0
    lines = errors.splitlines()
    assert "lets this process open 200 files, so it takes 100 connections at once" in lines[0]
    assert len(lines) <= 3
    assert "Traceback" not in errors


def test_a_model_that_cannot_be_opened_ends_the_server(
    run: Path, tmp_path: Path, command: Command
) -> None:
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(b"nothing")
    done = command("serve", run, damaged, "--port", 0)
    assert done.code == 2
    assert done.out == ""
    assert "damaged.safetensors" in done.err.splitlines()[-1]
