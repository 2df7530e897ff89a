"""Clients of a server in a process of their own; figures as JSON.

``python -m benchmarks.serving_load closed|steady|overload PORT MODEL RATE SECONDS [tei|openai]``

*closed*: 64 clients, each of which asks again as soon as it is answered. *steady*: requests at a
fixed rate, whether the ones before are answered or not (open loop). *overload*: the same, beyond
what the server can do; then it is asked how soon it is as before. Each answer is compared with that
of the Python call.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Figures, work_folder
from benchmarks.serving_wire import Answer, Connection, post_bytes

NUM_CLIENTS = 64
LEAST_COSINE = (
    0.999  # with the vector of the Python call; batches of other lengths differ in digits
)
SETTLING = 8.0  # seconds, some two requests of each client
PROBES = 0.02  # seconds between requests that find out whether the server is as before


class Form(NamedTuple):
    """How texts are sent and vectors come back."""

    path: str
    body: Callable[[str, list[str]], dict[str, Any]]  # of the model's name and texts
    vectors: Callable[[Any], list[list[float]]]


FORMS = {
    "tei": Form("/embed", lambda _, texts: {"inputs": texts}, lambda answer: answer),
    "openai": Form(
        "/v1/embeddings",
        lambda model, texts: {"model": model, "input": texts},
        lambda answer: [each["embedding"] for each in answer["data"]],
    ),
}


class Questions:
    """Requests of a file that the server's program made, in turns, and their right answers."""

    def __init__(self, model: str, form: str = "tei") -> None:
        self._form = FORMS[form]
        lines = (work_folder() / f"serving-{model}.jsonl").read_bytes().splitlines()
        texts = [json.loads(line)["inputs"] for line in lines]
        bodies = [json.dumps(self._form.body(model, each)).encode() for each in texts]
        self.expected = np.load(work_folder() / f"serving-{model}.npy")  # (requests, texts, D)
        self.requests = [
            post_bytes(self._form.path, body, f"client-{number % NUM_CLIENTS}")
            for number, body in enumerate(bodies)
        ]
        self._turns: Iterator[int] = itertools.cycle(range(len(bodies)))

    def next(self) -> int:
        """Number of the next request."""
        return next(self._turns)

    def is_right(self, number: int, answer: Answer) -> bool:
        """Whether an answer is what the Python call gave."""
        found = self._form.vectors(json.loads(answer.body))
        vectors = np.asarray(found, np.float32)  # (texts, D), of length 1
        if vectors.shape != self.expected[number].shape:
            return False
        return bool(((vectors * self.expected[number]).sum(-1) >= LEAST_COSINE).all())


class Load:
    """Requests in flight, on as many connections as that takes."""

    def __init__(self, port: int, questions: Questions) -> None:
        self.port = port
        self.questions = questions
        self.statuses: Counter[int] = Counter()
        self.num_wrong = 0
        self.without_retry = 0
        self.seconds: list[float] = []  # of answers with 200
        self._free: list[Connection] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self) -> None:
        """Send the next request and judge the answer."""
        number = self.questions.next()
        began = time.perf_counter()
        connection = await self._connection()
        answer = await connection.ask(self.questions.requests[number])
        took = time.perf_counter() - began
        self._free.append(connection)
        self.statuses[answer.status] += 1
        if answer.status == 200:
            self.seconds.append(took)
            self.num_wrong += not self.questions.is_right(number, answer)
        elif answer.status == 429:
            self.without_retry += b"\r\nretry-after: " not in answer.headers

    async def _connection(self) -> Connection:
        while self._free:
            if not (connection := self._free.pop()).is_closed:
                return connection
        return await Connection.open(self.port)

    @asynccontextmanager
    async def closed(self) -> AsyncIterator[None]:
        """Let each client ask again as soon as it is answered, within."""
        is_over = False

        async def client() -> None:
            while not is_over:
                await self.ask()

        clients = [asyncio.create_task(client()) for _ in range(NUM_CLIENTS)]
        try:
            yield
        finally:
            is_over = True
            await asyncio.gather(*clients)

    async def open_loop(self, rate: float, seconds: float) -> None:
        """Begin `rate` requests a second, however many are not answered yet."""
        began = time.perf_counter()
        for number in range(round(rate * seconds)):
            wait = began + number / rate - time.perf_counter()
            if wait > 0 or number % 64 == 0:
                await asyncio.sleep(max(wait, 0))
            task = asyncio.create_task(self.ask())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def drain(self) -> None:
        """Wait for all that is in flight."""
        await asyncio.gather(*self._tasks)

    def facts(self) -> Figures:
        """What came back."""
        times = np.asarray(self.seconds or [0.0]) * 1000
        return {
            "statuses": {str(status): count for status, count in self.statuses.items()},
            "num_wrong": self.num_wrong,
            "without_retry": self.without_retry,
            "p50_ms": float(np.percentile(times, 50)),
            "p99_ms": float(np.percentile(times, 99)),
        }


async def closed(load: Load, _: float, seconds: float) -> Figures:
    """Requests a second of 64 clients, all of whom ask before, while and after it is measured.

    Without that, a third of the time would be of a queue that fills or empties, when a server has
    fewer texts to choose from.
    """
    async with load.closed():
        await asyncio.sleep(SETTLING)
        load.statuses.clear()
        of_server, of_clients = cpu_seconds(load.port), time.process_time()
        began = time.perf_counter()
        await asyncio.sleep(seconds)
        took = time.perf_counter() - began
        num_texts = load.statuses[200] * load.questions.expected.shape[1]
        figures = {
            "requests_per_second": load.statuses[200] / took,
            "texts_per_second": num_texts / took,
            "server_ms_per_text": 1000 * (cpu_seconds(load.port) - of_server) / num_texts,
            "clients_ms_per_text": 1000 * (time.process_time() - of_clients) / num_texts,
        }
    return load.facts() | figures


async def steady(load: Load, rate: float, seconds: float) -> Figures:
    """Times of answers at a rate that the server can do."""
    await load.open_loop(rate, min(seconds, 2.0))
    await load.drain()
    load.seconds.clear()
    await load.open_loop(rate, seconds)
    await load.drain()
    return load.facts()


async def overload(load: Load, rate: float, seconds: float) -> Figures:
    """What a server does with more than it can do, and how soon it is as before."""
    await load.open_loop(rate, min(seconds, 5.0))  # fills the queue: that memory is no leak
    before = memory_of(load.port)
    await load.open_loop(rate, seconds)
    after = memory_of(load.port)
    recovery = asyncio.create_task(recovered(load))
    await load.drain()
    return load.facts() | {
        "memory_growth": after / before - 1,
        "recovery_seconds": await recovery,
    }


async def recovered(load: Load) -> float:
    """Seconds until a newcomer's short text is answered with 200 again."""
    began = time.perf_counter()
    request = post_bytes("/embed", b'{"inputs": "a short text of a newcomer"}', "newcomer")
    connection = await Connection.open(load.port)
    while (await connection.ask(request)).status != 200:
        await asyncio.sleep(PROBES)
    return time.perf_counter() - began


def memory_of(port: int) -> int:
    """Resident bytes of the server's process."""
    return int(_of_process(port, "statm").split()[1]) * 4096


def cpu_seconds(port: int) -> float:
    """Processor seconds that the server's process has used."""
    user, system = _of_process(port, "stat").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _of_process(port: int, name: str) -> str:
    """What the system says of the server; it leaves its number in a file."""
    pid = (work_folder() / f"serving-{port}.pid").read_text()
    return Path(f"/proc/{pid}/{name}").read_text()


MODES = {"closed": closed, "steady": steady, "overload": overload}


def main() -> None:
    mode, port, model, rate, seconds, *form = sys.argv[1:]
    load = Load(int(port), Questions(model, *form))
    print(json.dumps(asyncio.run(MODES[mode](load, float(rate), float(seconds)))))


if __name__ == "__main__":
    main()
