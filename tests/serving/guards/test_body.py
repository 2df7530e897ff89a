"""Bodies over the limit, of unknown length, in pieces, and of odd JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

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
