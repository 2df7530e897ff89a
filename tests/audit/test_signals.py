"""The campaign of signals in its short form; `python -m tests.audit.signals` is the long one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHORT = ("list", "neighbors", "clean", "fasttext classifier")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks, and processes are looked for in /proc")
def test_every_signal_has_its_answer_in_time(tmp_path: Path) -> None:
    seed = os.environ.get("FORETEXT_AUDIT_SEED", "0")
    command = [sys.executable, "-m", "tests.audit.signals", str(tmp_path / "signals")]
    done = subprocess.run(
        [*command, "--signals", "10", "--seed", seed, "--only", *SHORT],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("10 signals, 0 bad\n")
