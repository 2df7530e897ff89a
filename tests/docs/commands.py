"""Commands of documents, run in this process."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from foretext.cli import main

__all__ = ["ROOT", "run_command"]

ROOT = Path(__file__).parents[2]
OF_THE_READER = (["git"], ["cd"], ["pip"], ["python3", "-m", "venv"])


def run_command(words: list[str], place: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what is ours, look up what is make's, and refuse what is neither."""
    if words[0] == "foretext":
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code, f"{place}: {' '.join(words)} exits with {stop.value.code}"
    elif words[0] == "make":
        missing = set(words[1:]) - _make_targets()
        assert not missing, f"{place}: the Makefile has no {missing}"
    else:
        known = any(words[: len(start)] == start for start in OF_THE_READER)
        assert known, f"{place}: {words[0]} cannot run in a test; make it a block of text"


def _make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
