"""The figures of a run on the clock of its job."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from foretext.comparison.run_curve import RunCurve


def write_records(folder: Path, records: list[dict[str, Any]], at: float | None = None) -> None:
    """Write records as a training does, the last one at a moment of the system's clock."""
    path = folder / "metrics.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    if at is not None:
        os.utime(path, (at, at))


def test_seconds_before_the_first_step_count(tmp_path: Path) -> None:
    curve = RunCurve.begun(tmp_path)
    records = [{"time": 1.0, "loss": 3.0}, {"time": 4.0, "loss": 2.0}]
    write_records(tmp_path, records, at=curve._began_at + 10.0)  # six of preparation
    points = curve.points(["loss"])
    assert [value for _, value in points] == [3.0, 2.0]
    assert [seconds for seconds, _ in points] == pytest.approx([7.0, 10.0], abs=0.01)


def test_what_is_held_out_counts_where_it_was_measured_more_than_once(tmp_path: Path) -> None:
    curve = RunCurve.begun(tmp_path)
    names = ["valid_loss", "loss"]
    first = {"time": 1.0, "loss": 3.0}
    write_records(tmp_path, [first, {"time": 2.0, "loss": 2.0, "valid_loss": 2.5}])
    assert [value for _, value in curve.points(names)] == [3.0, 2.0]
    both = {"valid_loss": 3.5}
    write_records(tmp_path, [first | both, {"time": 2.0, "loss": 2.0, "valid_loss": 2.5}])
    assert [value for _, value in curve.points(names)] == [3.5, 2.5]


def test_a_run_without_records_has_no_curve(tmp_path: Path) -> None:
    assert RunCurve.begun(tmp_path).points(["valid_accuracy"]) == []


def test_the_seconds_of_a_killed_process_count(tmp_path: Path) -> None:
    write_records(tmp_path, [{"time": 30.0, "loss": 3.0}])
    curve = RunCurve.begun(tmp_path)
    assert 30.0 <= curve.seconds < 60.0
    write_records(
        tmp_path,
        [{"time": 30.0, "loss": 3.0}, {"time": 35.0, "loss": 2.0}],
        at=time.time() + 7.0,  # two of preparation
    )
    assert [seconds for seconds, _ in curve.points(["loss"])] == pytest.approx([32, 37], abs=1)
