"""Checkpoints: the newest ones are kept, and a damaged one does not end a run that has another."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import OutputError
from foretext.progress.checkpoint import ROOM, SPARE, Checkpoints


@dataclass
class State:
    step: int = 0


def _save(checkpoints: Checkpoints, *steps: int, kept: int = 1) -> None:
    for step in steps:
        checkpoints.save(step, {"weight": np.full(5, step)}, State(step), kept=kept)


def _damage(folder: Path, step: int) -> None:
    file = folder / f"step-{step}" / "arrays.safetensors"
    file.write_bytes(file.read_bytes()[:-8])


@pytest.mark.parametrize(
    ("kept", "remaining"),
    [(1, ["step-100"]), (2, ["step-100", "step-20"]), (9, ["step-100", "step-20", "step-3"])],
)
def test_the_newest_are_kept(tmp_path: Path, kept: int, remaining: list[str]) -> None:
    checkpoints = Checkpoints(tmp_path)
    _save(checkpoints, 3, 20, 100, kept=kept)
    assert sorted(path.name for path in tmp_path.iterdir()) == remaining
    found = checkpoints.newest(State)
    assert found is not None
    assert found.state == State(100)
    assert found.arrays["weight"].tolist() == [100] * 5


def test_the_same_step_again_replaces_itself(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    _save(checkpoints, 1, 2, 2, kept=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-1", "step-2"]


def test_a_damaged_one_gives_way_to_the_one_before(tmp_path: Path) -> None:
    notes: list[str] = []
    checkpoints = Checkpoints(tmp_path, notes.append)
    _save(checkpoints, 1, 2, 3, kept=3)
    _damage(tmp_path, 3)
    (tmp_path / "step-2" / "state.json").write_text('{"step"')
    found = checkpoints.newest(State)
    assert found is not None
    assert found.state == State(1)
    assert len(notes) == 2
    assert notes[0].startswith(f"{tmp_path / 'step-3'} is damaged (")
    assert notes[0].endswith("the run goes on from step-2.")


def test_without_anyone_to_tell_it_is_a_warning(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    _save(checkpoints, 1, 2, kept=2)
    _damage(tmp_path, 2)
    with pytest.warns(UserWarning, match="the run goes on from step-1"):
        checkpoints.newest(State)


def test_all_are_damaged(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    _save(checkpoints, 7)
    _damage(tmp_path, 7)
    with pytest.raises(OutputError, match=r"step-7 is damaged .*; remove it and start the run"):
        checkpoints.newest(State)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room cannot be reserved")
def test_room_is_reserved_until_the_end(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.reserve({"weight": np.zeros(1_000, np.float32), "bias": np.zeros(5)})
    assert (tmp_path / ROOM).stat().st_size == 4_040 + SPARE
    checkpoints.save(3, {"weight": np.zeros(5)}, State(3), kept=1, last=True)
    assert not (tmp_path / ROOM).exists()


def test_there_is_none(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    assert checkpoints.newest(State) is None
    (tmp_path / "checkpoints" / "step-x").mkdir(parents=True)
    assert checkpoints.newest(State) is None
