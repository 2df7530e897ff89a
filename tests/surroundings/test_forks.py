"""Models work on in forked and spawned processes, and can be copied after they were used."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.models import NAMES

KINDS = {*NAMES, "fasttext", "doc2vec", "textcnn"}
METHODS = ["fork", "copies spawn forkserver"]  # each in one process, which makes the models once
HOME = Path(__file__).parents[2]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("methods", METHODS)
def test_models_of_every_kind_answer_there_as_here(methods: str) -> None:
    here = {"copies", *multiprocessing.get_all_start_methods()}
    if not (tried := [method for method in methods.split() if method in here]):
        pytest.skip(f"this system has no {methods}")
    command = [
        sys.executable,
        "-W",
        "error::UserWarning",
        "-m",
        "tests.surroundings.forked",
        *tried,
    ]
    # Another library in this process may have set the variable.
    plain = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    patience = 300 * len(tried)
    done = subprocess.run(
        command, cwd=HOME, env=plain, capture_output=True, text=True, timeout=patience
    )
    assert done.returncode == 0, done.stderr[-2000:]
    times = sum(1 if method in ("spawn", "forkserver") else 2 for method in tried)
    assert sorted(done.stdout.split()) == sorted([*KINDS] * times)
    assert "parallelism" not in done.stderr


def test_a_fork_changes_nothing_for_the_parent_or_for_other_libraries() -> None:
    program = """
import os, sys
import foretext
child = os.fork()
if child == 0:
    assert "torch" not in sys.modules and "tokenizers" not in sys.modules
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
import tokenizers
os.environ["TOKENIZERS_PARALLELISM"] = "true"
child = os.fork()
if child == 0:
    os._exit(0 if os.environ["TOKENIZERS_PARALLELISM"] == "true" else 1)
assert os.waitpid(child, 0)[1] == 0
assert os.environ["TOKENIZERS_PARALLELISM"] == "true"
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
