"""Several processes, asked by threads, started when they are needed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from foretext.base.workers import WorkerLostError, WorkerPool, WorkerProcess, values_line


class Starts:
    """Starts processes and keeps them."""

    def __init__(self) -> None:
        self.workers: list[WorkerProcess] = []

    def __call__(self) -> WorkerProcess:
        self.workers.append(WorkerProcess("tests.base.workers.echo", remedy=""))
        return self.workers[-1]


def test_threads_ask_and_all_processes_end_with_the_pool() -> None:
    starts = Starts()
    with WorkerPool(2, starts) as pool, ThreadPoolExecutor(3) as threads:
        assert not starts.workers
        answers = list(threads.map(lambda number: pool.ask(values_line(number)), range(9)))
        assert answers == [[True, number] for number in range(9)]
        assert len(starts.workers) == 2
        assert all(worker.is_alive for worker in starts.workers)
    assert not any(worker.is_alive for worker in starts.workers)


@pytest.mark.parametrize("tries", [1, 2])
def test_what_ends_processes_is_tried_so_often_and_others_follow(
    tmp_path: Path, tries: int
) -> None:
    starts = Starts()
    with WorkerPool(1, starts, tries=tries) as pool:
        with pytest.raises(WorkerLostError, match=r"\(code 4\)"):
            pool.ask(values_line("end", str(tmp_path / "log")))
        assert (tmp_path / "log").read_text() == "asked\n" * tries
        assert pool.ask(values_line("a")) == [True, "a"]
    assert len(starts.workers) == tries + 1
