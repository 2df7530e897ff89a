"""Bodies over the limit, of unknown length, in pieces, and of odd JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from foretext.serving.guards.body import MAX_DEPTH, OddJsonError, check_json
from tests.serving.conftest import Server

Guarded = Callable[..., Server]
JSON = {"content-type": "application/json"}
QUESTION = {"words": ["ship"], "k": 2}


@pytest.fixture
def small(guarded: Guarded) -> Server:
    """A server that takes bodies of 1,000 bytes."""
    return guarded(max_body="1kB", max_bodies="1500B")


def test_a_body_over_the_limit_is_refused_by_its_said_length(small: Server) -> None:
    refused = small.client.post("/neighbors", content=b" " * 1001, headers=JSON)
    assert refused.status_code == 413
    assert refused.json()["error"].startswith("The body has more than 1,000 bytes")
    assert small.client.post("/neighbors", json=QUESTION).status_code == 200


def test_a_body_of_unknown_length_is_refused_where_it_passes_the_limit(small: Server) -> None:
    def pieces(number: int) -> Iterator[bytes]:
        for _ in range(number):
            yield b" " * 100

    refused = small.client.post("/v1/embeddings", content=pieces(11), headers=JSON)
    assert refused.status_code == 413
    assert refused.json()["error"]["type"] == "invalid_request_error"
    taken = small.client.post("/neighbors", content=pieces(10), headers=JSON)
    assert taken.status_code == 400  # blanks are no JSON


def test_a_body_that_comes_in_pieces_is_put_together(small: Server) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"words": ["sh'
        yield b'ip"], "k": 2}'

    whole = small.client.post("/neighbors", json=QUESTION)
    assert small.client.post("/neighbors", content=pieces(), headers=JSON).json() == whole.json()


def test_what_refused_bodies_took_of_memory_is_given_back(small: Server) -> None:
    for content in (b"x" * 900, b"[" * 50, b'{"words": 7}') * 5:
        assert small.client.post("/neighbors", content=content, headers=JSON).status_code < 500
    assert small.client.post("/neighbors", json=QUESTION).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b'{"words": [NaN]}',
        b'{"words": ["\\ud800"]}',
        b"[" * 5000,
        b'{"k": 1, "k": 2}',
        b"",
        b"\xff",
    ],
)
@pytest.mark.parametrize("route", ["/neighbors", "/v1/embeddings", "/embed", "/"])
def test_odd_json_is_a_mistake_of_the_client(server: Server, route: str, body: bytes) -> None:
    answer = server.client.post(route, content=body, headers=JSON)
    assert answer.status_code in (400, 404, 405, 422)
    assert "error" in answer.json()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no JSON|not JSON"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"1e999", "range of a double"),
        (b"9" * 5000, "thousands of digits"),
        (b'{"a": 1, "a": 1}', "same key twice"),
        (b'{"b": [{"a": 1, "a": 2}]}', "same key twice"),
        (b'"\\ud800"', "half a character"),
        (b'{"\\uDc00": 1}', "half a character"),
        (b'[["\\ud83d", 1]]', "half a character"),
        (b"\xff", "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "within each other"),
        (b'{"a":' * 100_000, "within each other|values"),
        (b"[" + b"[]," * 2000 + b"[]]", "more than 1,000 values"),
        (b"[" + b"1," * 2000 + b"1]", "more than 1,000 values"),
        (b'{"a": "' + b"\\" * 10_001, "not JSON"),
    ],
)
def test_odd_json_is_refused_with_a_sentence(body: bytes, said: str) -> None:
    with pytest.raises(OddJsonError, match=said):
        check_json(body, 1000)


@pytest.mark.parametrize(
    "body",
    [
        b'{"inputs": "a text"}',
        b'"\\ud83d\\ude00"',  # both halves
        b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
        json.dumps({"inputs": '[{", \\" ,' * 5000}).encode(),  # marks inside a string
        '[1, 2.5e-3, null, true, "\u96e8"]'.encode(),
        json.dumps(["[[[[[", "\\", '"[']).encode(),
    ],
)
def test_plain_json_is_let_through(body: bytes) -> None:
    assert check_json(body, 1000) is None


def test_the_sentence_repeats_nothing_of_the_body() -> None:
    with pytest.raises(OddJsonError) as error:
        check_json(b'{"secret": secret}', 1000)
    assert "secret" not in str(error.value)
