"""A newcomer's first hour on Windows: Windows' Python, under Wine, and this machine's agree.

``make windows`` puts that Python into ``build/wine``; without it, or without Wine, nothing is run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.wine import FOLDER, PYTHON, environment, library, windows_path

SCRIPT = Path(__file__).with_name("first_hour.py")
SECONDS = 900  # at most, on a busy machine
SEED_STEPS = ("tokenizer", "word_vectors", "replaced", "resumed")  # equal wherever they are done

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("wine"),
    pytest.mark.skipif(shutil.which("wine") is None, reason="wine is missing"),
    pytest.mark.skipif(
        not (FOLDER / "made.txt").is_file(), reason="build/wine is missing; `make windows`"
    ),
]


def first_hour(command: list[str], folder: str, *steps: str, env: dict[str, str] | None) -> None:
    done = subprocess.run(
        [*command, folder, *steps],
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=env,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def on_windows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Windows' Python finds."""
    folder = tmp_path_factory.mktemp("windows") / "hour"
    command = ["wine", str(PYTHON), windows_path(SCRIPT)]
    first_hour(command, windows_path(folder), env=environment())
    return json.loads((folder / "found.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What this machine's Python finds at the same steps."""
    folder = tmp_path_factory.mktemp("here") / "hour"
    first_hour([sys.executable, str(SCRIPT)], str(folder), *SEED_STEPS, env=None)
    return json.loads((folder / "found.json").read_text("utf-8"))


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [float(value)] if isinstance(value, int | float) else []


def test_every_step_is_done(on_windows: dict[str, Any]) -> None:
    assert on_windows["machine"] == ["Windows", "AMD64"]
    assert on_windows["version"][0] == "foretext"
    assert on_windows["locked"] is True
    assert on_windows["served"] == 2
    assert on_windows["page"] > 10_000
    assert "index.html" in on_windows["exported"]
    assert on_windows["search"]
    assert all(bytes_ and bytes_ > 1 << 20 for bytes_ in on_windows["measured"].values())


@pytest.mark.parametrize("learner", ["linear", "fasttext"])
def test_classifiers_learn(on_windows: dict[str, Any], learner: str) -> None:
    assert '"accuracy": 1.0' in json.dumps(on_windows["classifiers"][learner])


@pytest.mark.parametrize("step", SEED_STEPS)
def test_the_same_seed_gives_the_same_numbers(
    on_windows: dict[str, Any], here: dict[str, Any], step: str
) -> None:
    assert numbers(here[step])
    assert numbers(on_windows[step]) == pytest.approx(numbers(here[step]), abs=1e-4)


def test_an_entry_of_a_library_leads_to_another() -> None:
    content = library("a.dll", {"One": "other.Function", "Two": "other.Second"})
    assert content[:2] == b"MZ"
    assert b"other.Function\0other.Second\0One\0Two\0" in content
    assert len(content) % 512 == 0
