"""How long a process has been there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from foretext.serving.process_age import process_seconds

WAITING = """
import time
time.sleep(0.3)
from foretext.serving.process_age import process_seconds
print(process_seconds())
"""


def test_it_counts_from_the_start_of_the_process() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the system does not say")
    done = subprocess.run(
        [sys.executable, "-c", WAITING], capture_output=True, text=True, check=True
    )
    assert 0.29 < float(done.stdout) < 60


def test_another_system_does_not_say(tmp_path: Path) -> None:
    assert process_seconds(tmp_path) is None
