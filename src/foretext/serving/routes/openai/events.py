"""What long work in the model's thread reports, as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

__all__ = ["reported"]

T = TypeVar("T")
Report = Callable[[T], None]


async def reported(work: Callable[[Report[T]], Awaitable[object]]) -> AsyncGenerator[T, None]:
    """Yield what work reports, from whichever thread; closing the iterator cancels the work.

    Args:
        work: gets what to call with each report.

    Raises:
        Exception: what the work raises, after its reports.
    """
    loop = asyncio.get_running_loop()
    reports: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    def report(content: T) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, (content,))

    async def run() -> None:
        try:
            await work(report)
        finally:
            loop.call_soon(reports.put_nowait, None)  # behind the reports that are on their way

    task = asyncio.create_task(run())
    try:
        while (found := await reports.get()) is not None:
            yield found[0]
        await task
    finally:
        task.cancel()
