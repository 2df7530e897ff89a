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


@pytest.mark.slow
def test_a_shell_that_ignores_interrupts_does_not_spoil_the_campaign() -> None:
    """What is started with ``&`` in a script ignores SIGINT, and so would all that it starts."""
    program = (
        "import signal, subprocess, sys; from tests.audit.signals import undo_ignoring;"
        "signal.signal(signal.SIGINT, signal.SIG_IGN); undo_ignoring();"
        "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
        "child.send_signal(signal.SIGINT); sys.exit(child.wait(60) == 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], timeout=90
    )
    assert done.returncode == 0
