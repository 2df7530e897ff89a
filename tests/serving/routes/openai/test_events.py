from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from foretext.serving.routes.openai.events import reported


def collected(work: Callable[..., object]) -> list[int]:
    async def collect() -> list[int]:
        return [report async for report in reported(work)]  # type: ignore[arg-type]

    return asyncio.run(collect())


def test_reports_of_another_thread_come_in_their_order() -> None:
    async def work(report: Callable[[int], None]) -> None:
        thread = threading.Thread(target=lambda: [report(number) for number in range(100)])
        thread.start()
        await asyncio.to_thread(thread.join)

    assert collected(work) == list(range(100))


def test_an_error_comes_after_the_reports() -> None:
    seen: list[int] = []

    async def work(report: Callable[[int], None]) -> None:
        report(1)
        raise LookupError("nothing")

    async def collect() -> None:
        async for report in reported(work):
            seen.append(report)

    with pytest.raises(LookupError, match="nothing"):
        asyncio.run(collect())
    assert seen == [1]


def test_closing_cancels_the_work() -> None:
    ended: list[str] = []

    async def work(report: Callable[[int], None]) -> None:
        report(1)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def leave() -> None:
        reports = reported(work)
        assert await anext(reports) == 1
        await reports.aclose()
        await asyncio.sleep(0)

    asyncio.run(leave())
    assert ended == ["cancelled"]
