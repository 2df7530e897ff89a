"""Idle threads spin briefly, unless the user wants something else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from foretext.base.openmp import SPIN_COUNT, limit_spinning

NAMES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")

# What a new process has when torch is loaded, and what its own child has.
LOADED = """
import os, subprocess, sys
import foretext
class Torch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print(os.environ.get("GOMP_SPINCOUNT"))
            child = "import os; print(os.environ.get('GOMP_SPINCOUNT'))"
            subprocess.run([sys.executable, "-c", child])
            raise SystemExit
sys.meta_path.insert(0, Torch())
"""


def environment(**chosen: str) -> dict[str, str]:
    return {name: os.environ[name] for name in os.environ if name not in NAMES} | chosen


def output(code: str, **chosen: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-u", "-c", code],
        env=environment(**chosen),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_it_is_set_before_torch_is_loaded_and_child_processes_inherit_it() -> None:
    assert output(LOADED + "foretext.LanguageModel") == [str(SPIN_COUNT)] * 2


@pytest.mark.parametrize(
    ("name", "value"), [("OMP_WAIT_POLICY", "ACTIVE"), ("GOMP_SPINCOUNT", "7")]
)
def test_the_users_choice_stays(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in NAMES:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, value)
    limit_spinning()
    assert {other: os.environ.get(other) for other in NAMES} == {
        **dict.fromkeys(NAMES),
        name: value,
    }


def test_gnus_library_takes_it() -> None:
    """It is asked to show its settings when it is loaded."""
    code = "import foretext, torch"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(OMP_DISPLAY_ENV="VERBOSE"),
        capture_output=True,
        text=True,
        check=True,
    )
    if "GOMP_SPINCOUNT" not in done.stderr:
        pytest.skip("torch carries another OpenMP library")
    assert f"GOMP_SPINCOUNT = '{SPIN_COUNT}'" in done.stderr
