"""Memory that was freed once is used again without asking the system for it."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from foretext.base import runtime
from foretext.base.errors import SettingError
from foretext.base.runtime import Threads, refuse_surroundings

TOLD_BY_TORCHRUN = (
    runtime.is_first_process,
    runtime.num_processes,
    runtime.num_local_processes,
    runtime.num_restarts,
)

PROGRAM = """
import resource, sys
from foretext.base.runtime import keep_freed_memory
kept = keep_freed_memory() if sys.argv[1] == "keep" else False
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def work():
    return sum(map(len, [bytearray(2**24) for _ in range(8)]))
work()
before = faults()
work()
print(int(kept), faults() - before)
"""


@pytest.mark.parametrize(
    ("kind", "option"), [(resource.RLIMIT_AS, "-v"), (resource.RLIMIT_DATA, "-d")]
)
def test_too_little_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, kind: int, option: str
) -> None:
    limits = {kind: (400 << 20, resource.RLIM_INFINITY)}
    without = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda asked: limits.get(asked, without))
    monkeypatch.setattr(runtime, "usable_cores", lambda: 2)
    with pytest.raises(SettingError) as error:
        refuse_surroundings()
    assert str(error.value) == (
        "This process may reserve 400 MB of memory, and the libraries of foretext need 1,792 MB "
        f"on 2 cores; raise the limit with `ulimit {option} unlimited`."
    )


def test_enough_memory_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (4 << 30, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda asked, limit=limit: (limit, limit))
        monkeypatch.setattr(runtime, "usable_cores", lambda: 2)
        refuse_surroundings()


def test_a_working_folder_that_was_deleted_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SettingError, match="working folder cannot be used"):
        refuse_surroundings()


def test_threads_that_do_not_start_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with Threads(3) as pool, pytest.raises(SettingError, match="no more threads, and this work"):
        pool.submit(len, "work")


def test_other_errors_of_a_pool_stay_what_they_are() -> None:
    pool = Threads(1)
    assert pool.submit(len, "work").result() == 4
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(len, "work")


@pytest.mark.parametrize(
    "name", ["RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT"]
)
def test_what_torchrun_never_says(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(SettingError, match=f"{name} = 'x' is no number, .*; unset it"):
        [ask() for ask in TOLD_BY_TORCHRUN]


def page_faults(choice: str) -> tuple[bool, int]:
    command = [sys.executable, "-c", PROGRAM, choice]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, faults = done.stdout.split()
    return kept == "1", int(faults)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be asked")
def test_freed_memory_is_used_again() -> None:
    kept, faults = page_faults("keep")
    if not kept:
        pytest.skip("this C library cannot be asked")
    assert faults < page_faults("leave")[1] / 10


@pytest.mark.parametrize(("processes", "free", "share"), [("1", 90, 90), ("4", 90, 22)])
def test_processes_of_a_training_share_free_memory(
    monkeypatch: pytest.MonkeyPatch, processes: str, free: int, share: int
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
    monkeypatch.setattr(runtime, "free_memory", lambda: free)
    assert runtime.free_memory_share() == share
    monkeypatch.setattr(runtime, "free_memory", lambda: None)
    assert runtime.free_memory_share() is None
