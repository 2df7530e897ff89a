"""How many requests are taken on at once, and for how long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from foretext.serving.abilities.neighbors import Neighbors
from tests.serving.conftest import Server

Guarded = Callable[..., Server]
QUESTION = {"words": ["ship"], "k": 2}


@contextmanager
def held_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the model wait within; the event says that it began."""
    began, free, run = threading.Event(), threading.Event(), Neighbors.run

    def waiting(*arguments: Any) -> list[Any]:
        began.set()
        assert free.wait(60)
        return run(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Neighbors, "run", waiting)
        try:
            yield began
        finally:
            free.set()


def test_what_is_too_much_hears_when_to_come_back(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = guarded(max_requests=2)
    with ThreadPoolExecutor(2) as threads, held_back(monkeypatch) as began:
        waiting = [threads.submit(httpx.post, f"{server.url}/neighbors", json=QUESTION, timeout=60)]
        assert began.wait(60)
        waiting.append(
            threads.submit(httpx.post, f"{server.url}/neighbors", json=QUESTION, timeout=60)
        )
        while "foretext_requests_in_flight 3.0" not in server.client.get("/metrics").text:
            pass  # both, and the one that asks for the metrics
        refused = server.client.post("/neighbors", json=QUESTION)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert int(refused.headers["retry-after-ms"]) >= 1
        assert refused.json()["error_type"] == "Overloaded"
        openai = server.client.post("/v1/embeddings", json={"input": "a"})
        assert openai.json()["error"]["code"] == "rate_limit_exceeded"
        assert server.client.get("/health").status_code == 200
    assert [answer.result().status_code for answer in waiting] == [200, 200]
    assert server.client.post("/neighbors", json=QUESTION).status_code == 200


def test_an_answer_that_does_not_begin_in_time_is_an_error(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = guarded(max_seconds=0.2)
    with held_back(monkeypatch):
        late = server.client.post("/neighbors", json=QUESTION)
    assert late.status_code == 503
    assert "did not begin within 0.2 seconds" in late.json()["error"]
    assert server.client.post("/neighbors", json=QUESTION).status_code == 200


def test_more_inputs_than_a_request_may_have_are_refused(guarded: Guarded) -> None:
    server = guarded(max_inputs=3)
    refused = server.client.post("/neighbors", json={"words": ["ship"] * 4})
    assert refused.status_code == 422
    assert refused.json()["error"].startswith("The request has 4 inputs, and this server takes 3")


def test_a_client_that_leaves_takes_no_place(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = guarded(max_requests=1)
    with held_back(monkeypatch) as began:
        with pytest.raises(httpx.ReadTimeout):
            server.client.post("/neighbors", json=QUESTION, timeout=0.2)
        assert began.is_set()
    for _ in range(1000):
        answer = server.client.post("/neighbors", json=QUESTION)
        if answer.status_code == 200:
            return
    pytest.fail("the place is still taken")
