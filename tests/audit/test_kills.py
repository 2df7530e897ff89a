"""The campaign of kills in its short form; `make audit` runs the long one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHORT = {"word2vec": 6, "overwrite": 8, "bert": 5, "seeds": 4, "fasttext classifier": 4}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_what_is_killed_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    for stage, kills in SHORT.items():
        command = [sys.executable, "-m", "tests.audit.kills", str(tmp_path / stage)]
        done = subprocess.run(
            [*command, "--stages", stage, "--kills", str(kills)],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith(f"{kills} kills, 0 bad\n")
