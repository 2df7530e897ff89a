"""Request ids, log lines, and answers to defects."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

import pytest

from foretext.serving.ability import Ability
from foretext.serving.scheduler import Scheduler
from tests.serving.conftest import Server
from tests.serving.wire import exchange

Guarded = Callable[..., Server]
Captured = pytest.CaptureFixture[str]
QUESTION = {"words": ["ship"], "k": 2}


def logged(capfd: Captured, number: int) -> list[str]:
    """At least so many lines of the log; an answer is there before its line."""
    lines: list[str] = []
    deadline = time.monotonic() + 20
    while len(lines) < number:
        assert time.monotonic() < deadline, f"{len(lines)} lines instead of {number}"
        time.sleep(0.01)
        lines += capfd.readouterr().err.splitlines()
    return lines


def test_a_plain_request_id_comes_back_and_others_are_replaced(server: Server) -> None:
    given = server.client.get("/ping", headers={"x-request-id": "mine-1.2_3"})
    assert given.headers["x-request-id"] == "mine-1.2_3"
    for odd in ("a b", "x" * 65, "é", '"', "a\tb"):
        answer = server.client.get("/ping", headers={"x-request-id": odd.encode()})
        assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["x-request-id"])


def test_a_line_says_what_was_asked_and_no_text(guarded: Guarded, capfd: Captured) -> None:
    server = guarded(access_log="text")
    server.client.post("/neighbors?key=hidden", json=QUESTION, headers={"x-request-id": "one"})
    (line,) = logged(capfd, 1)
    assert re.search(r"Z? 127\.0\.0\.1 POST /neighbors 200 ms=[\d.]+ id=one model=words ", line)
    assert "ability=neighbors inputs=1 tokens=" in line
    assert "ship" not in line
    assert "hidden" not in line


def test_lines_can_be_json_and_show_texts_where_that_is_wanted(
    guarded: Guarded, capfd: Captured
) -> None:
    server = guarded(access_log="json", log_texts=True)
    server.client.post("/neighbors", json=QUESTION)
    (line,) = logged(capfd, 1)
    facts = json.loads(line)
    assert (facts["method"], facts["status"], facts["inputs"]) == ("POST", 200, 1)
    assert json.loads(facts["body"]) == QUESTION


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_path_begins_a_line_or_steers_a_terminal(
    guarded: Guarded, capfd: Captured, form: str
) -> None:
    server = guarded(access_log=form)
    paths = "/a%0a127.0.0.1%20GET%20/forged%20200", "/%1b[31mred", "/%e2%80%ae", "/%c2%85", "/x%22y"
    for path in paths:
        assert server.client.get(path).status_code == 404
    lines = logged(capfd, len(paths))
    assert len(lines) == len(paths)
    assert all(line.isascii() and "\x1b" not in line for line in lines)


def test_nothing_is_logged_where_that_is_wanted(guarded: Guarded, capfd: Captured) -> None:
    server = guarded(access_log="off")
    server.client.post("/neighbors", json=QUESTION)
    assert capfd.readouterr().err == ""


def test_probes_and_files_of_the_page_fill_no_log(guarded: Guarded, capfd: Captured) -> None:
    server = guarded(access_log="text")
    for path in ("/health", "/ping", "/metrics", "/playground/main.js"):
        assert server.client.get(path).status_code == 200
    assert server.client.get("/playground/missing.js").status_code == 404
    server.client.post("/neighbors", json=QUESTION)
    assert [line.split()[3] for line in logged(capfd, 2)] == [
        "/playground/missing.js",
        "/neighbors",
    ]
    counted = server.client.get("/metrics").text
    assert 'foretext_requests_total{method="GET",route="/health",status="200"} 1.0' in counted


def test_probes_that_find_models_loading_fill_no_log(
    guarded: Guarded, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = guarded(access_log="text")
    with monkeypatch.context() as patched:
        patched.setattr(server.app.state.service.models, "is_loading", True)
        for path in ("/health", "/info"):
            assert server.client.get(path).status_code == 503
        assert server.client.post("/neighbors", json=QUESTION).status_code == 503
    monkeypatch.setattr(Scheduler, "is_alive", False)
    assert server.client.get("/health").status_code == 503  # this one is an error
    assert [line.split()[3] for line in logged(capfd, 2)] == ["/neighbors", "/health"]


def test_a_defect_is_an_answer_and_its_message_is_not_logged(
    guarded: Guarded, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = guarded()

    def fail(self: Ability, item: object) -> int:
        raise RuntimeError(f"cannot count {item}")

    monkeypatch.setattr(Ability, "cost", fail)
    refused = server.client.post("/neighbors", json=QUESTION, headers={"x-request-id": "one"})
    assert refused.status_code == 500
    assert refused.json()["error"] == "The server failed; its log says where, by one."
    written = "".join(logged(capfd, 2))
    assert "RuntimeError (request one)" in written
    assert "ship" not in written
    monkeypatch.undo()
    assert server.client.post("/neighbors", json=QUESTION).status_code == 200


def test_no_header_carries_what_a_client_wrote(server: Server) -> None:
    for path in (b"/%0d%0aSet-Cookie:%20a=b", b"/playground/%0d%0aX-Evil:%201"):
        head = b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        answer = exchange(server.url, head + b"X-Request-Id: a%0d%0aX-Evil: 1\r\n\r\n")
        headers = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"set-cookie" not in headers
        assert b"x-evil" not in headers


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS at a port without it
        b"GET / HTTP/1.1\r\n\r\n",  # no Host
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
)
def test_what_is_no_http_ends_with_an_error_of_the_client(
    server: Server, request_bytes: bytes
) -> None:
    answer = exchange(server.url, request_bytes)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert server.client.get("/ping").status_code == 200
