"""Processes that meet in a store in which earlier starts have left something."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch.distributed as dist

from foretext.training.meeting import agreed_name

SIZE = 3
PROGRAM = """
import torch
from foretext.training.processes import Processes

processes = Processes(torch.device("cpu"))
assert processes.texts(str(processes.rank)) == ["0", "1"]
"""


def met(store: dist.Store) -> set[str]:
    """Start all processes, the first one last; returns the names that they agree on."""
    with ThreadPoolExecutor(SIZE) as threads:
        names = threads.map(lambda rank: agreed_name(store, rank, SIZE, 60), reversed(range(SIZE)))
        return set(names)


def test_each_start_has_a_name_of_its_own() -> None:
    store = dist.HashStore()
    first, second = met(store), met(store)
    assert len(first) == len(second) == 1
    assert first != second


def test_those_that_died_while_they_asked_hold_nobody_up() -> None:
    store = dist.HashStore()
    store.set("foretext/asks/1", "of a process that is gone")
    assert len(met(store)) == 1


def test_processes_that_do_not_come_are_counted() -> None:
    with pytest.raises(RuntimeError, match="2 of 3 have not come"):
        agreed_name(dist.HashStore(), 0, SIZE, 0.0)


def test_machines_with_different_numbers_of_restarts_meet() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    root = str(Path(__file__).parents[2] / "src")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={
                **os.environ,
                **common,
                "PYTHONPATH": root,
                "RANK": str(rank),
                "TORCHELASTIC_RESTART_COUNT": str(rank),
            },
        )
        for rank in range(2)
    ]
    try:
        assert [process.wait(timeout=300) for process in started] == [0, 0]
    finally:
        for process in started:
            process.kill()
            process.wait()
