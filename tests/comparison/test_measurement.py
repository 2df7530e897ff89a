"""Memory, room on the disk, and the time of a row."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from foretext.comparison import measurement
from foretext.comparison.measurement import (
    disk_bytes,
    machine,
    milliseconds_of_one,
    peak_memory_bytes,
    reset_peak_memory,
    seconds_of_many,
)

MANY = 200 << 20  # bytes


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_the_peak_is_that_since_the_last_reset() -> None:
    reset_peak_memory()
    before = peak_memory_bytes()
    assert before > 0
    room = bytearray(MANY)
    assert len(room) == MANY
    assert peak_memory_bytes() >= before + 0.9 * MANY
    del room
    assert peak_memory_bytes() >= before + 0.9 * MANY
    reset_peak_memory()
    assert peak_memory_bytes() < before + 0.5 * MANY


def test_without_proc_the_peak_of_the_process_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(measurement, "STATUS", tmp_path / "status")
    monkeypatch.setattr(measurement, "CLEAR_REFS", tmp_path / "none" / "clear_refs")
    reset_peak_memory()
    assert peak_memory_bytes() > 10 << 20


def test_all_files_of_a_folder_are_counted(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "inner" / "b").write_bytes(b"12345")
    assert disk_bytes(tmp_path) == 8


def test_rows_are_answered_one_at_a_time() -> None:
    asked: list[Sequence[int]] = []
    assert milliseconds_of_one(asked.append, range(200)) >= 0
    assert len(asked) == 1 + 50
    assert all(len(rows) == 1 for rows in asked)
    assert len({rows[0] for rows in asked[1:]}) == 50  # from the whole file


def test_a_slow_model_answers_few(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr(measurement.time, "perf_counter", lambda: 0.25 * next(ticks))
    asked: list[Sequence[int]] = []
    assert milliseconds_of_one(asked.append, range(200)) == 250.0
    assert len(asked) < 5


def test_more_and_more_rows_are_answered_until_their_time_tells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    asked: list[int] = []

    def answer(rows: Sequence[int]) -> None:
        nonlocal now
        now += 0.001 * len(rows) + 0.5 * (len(rows) not in asked)  # code for a new shape
        asked.append(len(rows))

    monkeypatch.setattr("time.perf_counter", lambda: now)
    monkeypatch.setattr(measurement, "TIMED_SECONDS", 0.6)
    assert seconds_of_many(answer, range(10_000)) == pytest.approx(0.001)
    assert asked == [1, 8, 32, 128, 128]
    asked.clear()
    assert seconds_of_many(answer, range(20)) == pytest.approx(0.001)
    assert asked == [1, 8, 20, 20]


def test_the_machine_has_cores_and_memory() -> None:
    assert machine()["cores"] >= 1
    assert machine()["memory"] > 1 << 27
