"""The folder of a run: one process at a time works in it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from foretext.errors import OutputError
from foretext.pipeline.runs import run_folder

HOLD = """
import sys, time
from foretext.pipeline.runs import run_folder
with run_folder(sys.argv[1], overwrite=False, resume=False) as run:
    run.recipe.write_text("")
    (run.path / "held").touch()
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders there")
def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with run_folder(out, overwrite=False, resume=False) as run:
        run.recipe.write_text("")
        for resume in (True, False):
            with (
                pytest.raises(OutputError, match="Another process is at work in"),
                run_folder(out, overwrite=not resume, resume=resume),
            ):
                pass
        assert [path.name for path in tmp_path.iterdir()] == ["run"]
        assert sorted(path.name for path in out.iterdir()) == ["checkpoints", "recipe.toml"]
    with run_folder(out, overwrite=False, resume=True):
        pass
    with run_folder(out, overwrite=True, resume=False):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders there")
def test_a_process_that_dies_lets_go(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(out)]) as process:
        until = time.monotonic() + 60
        while not (out / "held").exists():
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.05)
        with (
            pytest.raises(OutputError, match="wait for its end, or choose another folder"),
            run_folder(out, overwrite=True, resume=False),
        ):
            pass
        process.kill()
    with run_folder(out, overwrite=False, resume=True) as run:
        assert run.begun
