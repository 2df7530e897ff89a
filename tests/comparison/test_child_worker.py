"""A worker in a process of its own, and all that may end it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from foretext import trust
from foretext.base.errors import Interrupted, SettingError
from foretext.comparison.child_worker import ChildWorker, described_failure
from foretext.comparison.worker import JobFailed, Pretrain
from tests.comparison.fake_process import REPLY

ROOT = Path(__file__).parents[2]
PROGRAM = "tests.comparison.fake_process"
DRIVER = f"""
import sys
from pathlib import Path
from foretext.comparison.child_worker import ChildWorker
from foretext.comparison.worker import Pretrain
folder = Path(sys.argv[1])
with ChildWorker(folder, {PROGRAM!r}) as worker:
    worker.run(Pretrain("save", (), str(folder)))
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChildWorker]:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with ChildWorker(tmp_path, PROGRAM) as worker:
        yield worker


def job(recipe: str, folder: Path) -> Pretrain:
    return Pretrain(recipe, (), str(folder))


def when_there_is(path: Path) -> None:
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.01)


def test_jobs_get_their_replies(worker: ChildWorker, tmp_path: Path) -> None:
    worker.start()
    assert worker.run(job("any", tmp_path)) == REPLY
    assert worker.run(job("any", tmp_path)) == REPLY


def test_what_libraries_print_is_no_message(
    worker: ChildWorker, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert worker.run(job("speak", tmp_path)) == REPLY
    assert capfd.readouterr().err == "a library says something\nand so does C\n"


def test_a_refusal_is_a_sentence(worker: ChildWorker, tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match=r"^No such setting\.$") as failure:
        worker.run(job("refuse", tmp_path))
    assert failure.value.cause == "refused"
    assert worker.run(job("any", tmp_path)) == REPLY


def test_the_traceback_of_a_defect_is_kept(worker: ChildWorker, tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match="a defect: ZeroDivisionError: by zero") as failure:
        worker.run(job("fail", tmp_path / "base"))
    assert failure.value.cause == "defect"
    assert "raise ZeroDivisionError" in (tmp_path / "base-traceback.txt").read_text()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [
        ("die", "Its process was ended by SIGKILL, as the system does where memory is short."),
        ("leave", "Its process ended with exit code 7."),
    ],
)
def test_the_death_of_the_process_fails_its_job_alone(
    worker: ChildWorker, tmp_path: Path, recipe: str, sentence: str
) -> None:
    with pytest.raises(JobFailed) as failure:
        worker.run(job(recipe, tmp_path))
    assert (str(failure.value), failure.value.cause) == (sentence, "died")
    assert worker.run(job("any", tmp_path)) == REPLY


def test_a_process_that_died_between_two_jobs_is_started_again(
    worker: ChildWorker, tmp_path: Path
) -> None:
    worker.run(job("any", tmp_path))
    assert worker._child is not None
    worker._child._process.kill()
    worker._child._process.wait()
    assert worker.run(job("any", tmp_path)) == REPLY


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("recipe", ["save", "hang"])
def test_a_job_is_stopped_at_its_limit(
    worker: ChildWorker, tmp_path: Path, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.comparison.child_worker.LATE_SECONDS", 2.0)
    worker.run(job("any", tmp_path))
    with pytest.raises(JobFailed, match="It was stopped after 2 s, its limit") as failure:
        worker.run(job(recipe, tmp_path), limit=2.0)
    assert failure.value.cause == "late"
    assert (tmp_path / "saved").exists() == (recipe == "save")
    assert worker.run(job("any", tmp_path)) == REPLY


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_what_was_learned(
    worker: ChildWorker, tmp_path: Path, number: signal.Signals
) -> None:
    def send() -> None:
        when_there_is(tmp_path / "begun")
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(Interrupted, match="What was learned is saved"):
        worker.run(job("save", tmp_path))
    thread.join()
    assert (tmp_path / "saved").exists()


def test_a_signal_to_the_process_alone_ends_the_comparison(
    worker: ChildWorker, tmp_path: Path
) -> None:
    def send() -> None:
        when_there_is(tmp_path / "begun")
        assert worker._child is not None
        os.kill(worker._child._process.pid, signal.SIGTERM)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(Interrupted, match="What was learned is saved"):
        worker.run(job("save", tmp_path))
    thread.join()


def test_the_process_saves_where_the_comparison_is_killed_and_the_next_one_waits(
    worker: ChildWorker, tmp_path: Path
) -> None:
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(tmp_path)], cwd=ROOT)
    when_there_is(tmp_path / "begun")
    driver.kill()
    driver.wait()
    worker.run(job("any", tmp_path))  # the lock is free
    assert (tmp_path / "saved").exists()


def test_modules_are_found_and_trusted_as_here(
    worker: ChildWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.base.registry._trusted", set())
    monkeypatch.setattr(sys, "path", [*sys.path, "/a/folder"])
    trust("some_module")
    asked = Pretrain("surroundings", ("/a/folder", "/another"), str(tmp_path))
    with pytest.raises(JobFailed, match=r"^1 0 some_module$"):
        worker.run(asked)


def test_leaving_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with ChildWorker(tmp_path, PROGRAM) as worker:
        worker.run(job("any", tmp_path))
        child = worker._child
    assert child is not None
    assert child._process.returncode is not None


@pytest.mark.parametrize(
    ("error", "sentence", "cause"),
    [
        (SettingError("No such setting."), "No such setting.", "refused"),
        (MemoryError(), "The memory does not suffice; free memory", "memory"),
        (MemoryError("9 TiB"), "The memory does not suffice (9 TiB); free memory", "memory"),
        (RuntimeError("std::bad_alloc"), "The memory does not suffice (std::bad_alloc)", "memory"),
        (
            FileNotFoundError(2, "No such file", "x.txt"),
            "x.txt cannot be read or written: No such file.",
            "refused",
        ),
        (OSError("connection lost"), "A file or device cannot be read or written", "refused"),
    ],
)
def test_sentence_and_cause(error: Exception, sentence: str, cause: str, tmp_path: Path) -> None:
    job = Pretrain("bert", (), str(tmp_path / "base"))
    found = described_failure(job, error)
    assert found[0].startswith(sentence)
    assert found[1] == cause
    assert not list(tmp_path.iterdir())


def test_the_traceback_of_a_defect_is_kept_of_failures(tmp_path: Path) -> None:
    job = Pretrain("bert", (), str(tmp_path / "base"))
    sentence, cause = described_failure(job, ValueError("oops"))
    log = tmp_path / "base-traceback.txt"
    assert sentence == f"a defect: ValueError: oops. Report what {log} says."
    assert cause == "defect"
    assert log.read_text() == "ValueError: oops\n"
