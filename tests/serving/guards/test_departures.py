"""Clients that leave: their requests end, and nothing more is computed for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foretext.serving.guards.departures import Departures
from tests.serving.conftest import Server
from tests.serving.doing import until


class SlowWords:
    """Words whose neighbours come when the test lets them."""

    kind = "word vectors"
    abilities = ("neighbors",)

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.gate = threading.Event()

    def neighbors(self, words: list[str], k: int) -> list[list[tuple[str, float]]]:
        self.asked.append(words)
        assert self.gate.wait(20)
        return [[("near", 1.0)] for _ in words]


def test_what_a_client_left_behind_is_not_computed(serve: Callable[..., Server]) -> None:
    words = SlowWords()
    server = serve({"words": words})
    scheduler = server.app.state.service.scheduler

    async def work() -> None:
        async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:

            def ask(word: str) -> asyncio.Task[httpx.Response]:
                return asyncio.create_task(client.post("/neighbors", json={"words": [word]}))

            first = ask("first")
            await until(lambda: words.asked == [["first"]])
            leaving, staying = ask("leaving"), ask("staying")
            await until(lambda: scheduler.queue_size == 2)
            leaving.cancel()
            await asyncio.sleep(0)
            await until(lambda: _num_waiting(scheduler) == 1)
            words.gate.set()
            assert (await first).status_code == 200
            assert (await staying).status_code == 200

    asyncio.run(work())
    assert words.asked == [["first"], ["staying"]]


def _num_waiting(scheduler: Any) -> int:
    """Requests that are admitted and not computed: the one that has left is none."""
    return int(scheduler._admission.num_requests) - 1


def test_the_application_may_wait_for_the_departure_as_well() -> None:
    messages = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]
    seen: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        try:
            seen.append(await receive())
        finally:
            seen.append("ended")

    async def work() -> None:
        guard = Departures(app, None)  # type: ignore[arg-type]
        await guard({"type": "http"}, receive, None)  # type: ignore[arg-type]

    asyncio.run(work())
    assert seen[-1] == "ended"
    assert messages == []


def test_another_cancellation_goes_on() -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.sleep(20)

    async def work() -> None:
        guard = Departures(app, None)  # type: ignore[arg-type]
        task = asyncio.create_task(guard({"type": "http"}, receive, None))  # type: ignore[arg-type]
        await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
