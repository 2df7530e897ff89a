"""Commands of documents, run in this process, with steps and budgets as small as they can be."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from foretext.cli import main
from foretext.messages import VARIABLE

__all__ = ["ROOT", "run_command", "shortened"]

ROOT = Path(__file__).parents[2]
LONG = {  # what a page gives to learn with, and how much of it a test gives
    re.compile(r"(?<=training\.steps=)\d+"): 4,
    re.compile(r"(?<=training\.epochs=)\d+"): 0.2,
    re.compile(r"(?<=--budget )\d+(?=s\b)|(?<=budget=\")\d+(?=s\b)"): 12,
}
OF_THE_READER = (["git"], ["cd"], ["pip"], ["python3", "-m", "venv"])


def run_command(words: list[str], place: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what is ours, look up what is make's, and refuse what is neither."""
    if words[0] == "foretext":
        monkeypatch.setattr(sys, "argv", words)
        with pytest.MonkeyPatch.context() as kept:
            chosen = os.environ.get(VARIABLE)
            kept.setenv(VARIABLE, chosen or "")  # put back afterwards: --lang is of one command
            if chosen is None:
                kept.delenv(VARIABLE)
            with pytest.raises(SystemExit) as stop:
                main()
        assert not stop.value.code, f"{place}: {' '.join(words)} exits with {stop.value.code}"
    elif words[0] == "make":
        missing = set(words[1:]) - _make_targets()
        assert not missing, f"{place}: the Makefile has no {missing}"
    else:
        known = any(words[: len(start)] == start for start in OF_THE_READER)
        assert known, f"{place}: {words[0]} cannot run in a test; make it a block of text"


def shortened(text: str) -> str:
    """Cut the steps, epochs and seconds of trainings.

    A page shows that its commands work one after the other; how well they learn, other tests show.
    """
    for pattern, limit in LONG.items():
        text = pattern.sub(lambda found, most=limit: str(min(int(found[0]), most)), text)  # type: ignore[misc]
    return text


def _make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
