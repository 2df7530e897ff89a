"""Which run goes on when torchrun starts all processes again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foretext.pretraining.restarts import goes_on_after_restart, keep_job
from foretext.run_folder import RunFolder

JOB = {
    "TORCHELASTIC_RUN_ID": "a",
    "TORCHELASTIC_RESTART_COUNT": "1",
    "MASTER_ADDR": "first",
    "MASTER_PORT": "40001",
}


@pytest.fixture(params=["a", "none"])
def run(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RunFolder:
    """A run that a job with this id began, and was started again for."""
    for name, value in {**JOB, "TORCHELASTIC_RUN_ID": request.param}.items():
        monkeypatch.setenv(name, value)
    run = RunFolder(tmp_path)
    run.begin()
    keep_job(run)
    return run


def test_the_run_of_the_same_job_goes_on(run: RunFolder) -> None:
    assert goes_on_after_restart(run.path)
    assert not goes_on_after_restart(run.path / "another")
    assert not goes_on_after_restart(None)


@pytest.mark.parametrize(("name", "value"), [("TORCHELASTIC_RUN_ID", "b"), ("MASTER_PORT", "1")])
def test_other_runs_do_not(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert not goes_on_after_restart(run.path)


def test_a_machine_that_lost_no_process_counts_no_restart(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    is_named = os.environ["TORCHELASTIC_RUN_ID"] != "none"  # or another job may be the same
    assert goes_on_after_restart(run.path) == is_named


def test_without_torchrun_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    run = RunFolder(tmp_path)
    run.begin()
    keep_job(run)
    assert not list(run.checkpoints.iterdir())
