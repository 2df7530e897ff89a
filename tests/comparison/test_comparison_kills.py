"""A whole comparison, killed at any moment: the next one ends in the same table."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.task_files import TaskFiles, write_task_files

OPTIONS = (
    "--task", "classification", "--only", "linear", "--only", "fasttext", "--budget", "10m",
    "--set", "fasttext:classifier.workers=1", "--quiet",
)  # fmt: skip


def compare(files: TaskFiles, out: Path, *options: str) -> subprocess.Popen[str]:
    rows = ["--train", str(files.train("classification")), "--test"]
    rows.append(str(files.test("classification")))
    command = [sys.executable, "-m", "foretext", "compare", *rows, *OPTIONS, "-o", str(out)]
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def end(process: subprocess.Popen[str]) -> None:
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said


def table(out: Path) -> dict[str, dict[str, Any]]:
    """What a comparison found by candidate, without what depends on time."""
    found = json.loads((out / "compare.json").read_text())
    kept = ("status", "sentence", "valid", "test", "parameters")
    return {row["name"]: {each: row[each] for each in kept} for row in found["candidates"]}


def differences(wanted: Any, found: Any, place: str = "") -> list[str]:
    """Where two tables differ, a line each: pytest shortens what is compared as a whole."""
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted.keys() == found.keys():
        return [
            line
            for key, value in wanted.items()
            for line in differences(value, found[key], f"{place}/{key}")
        ]
    return [] if wanted == found else [f"{place}: {wanted!r} became {found!r}"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_is_killed_ends_in_the_same_table(tmp_path: Path) -> None:
    files, out = write_task_files(tmp_path), tmp_path / "out"
    began = time.monotonic()
    end(compare(files, out))
    seconds, wanted = time.monotonic() - began, table(out)
    assert [row["status"] for row in wanted.values()] == ["finished", "finished"]
    rng, num_killed = random.Random(0), 0
    while num_killed < 2:
        shutil.rmtree(out)
        process = compare(files, out)
        time.sleep(rng.uniform(0.4, 0.9) * seconds)
        process.kill()
        process.communicate()
        if (out / "compare.json").is_file():  # the first one took longer: it had more to compile
            seconds *= 0.7
            continue
        end(compare(files, out, *(["--resume"] if (out / "plan.json").is_file() else [])))
        assert differences(wanted, table(out)) == []
        num_killed += 1
