"""Sums over processes of numbers by name, of which each process may have others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import torch

from foretext.training.processes import Processes
from foretext.training.totals import Totals

PROGRAM = """
import json, sys
from pathlib import Path
import torch
import torch.distributed as dist
from foretext.training.processes import Processes
from foretext.training.totals import Totals

STEPS = [
    [{"a": 1, "b": 2}, {"a": 10, "b": 20}],
    [{"b": 1 << 60}, {"c": 5, "b": 3}],  # one has a name that the other has never seen
    [{}, {}],
    [{"d": 1}, {"e": 2}],
    [{"c": 7}, {"a": 8}],
]
processes = Processes(torch.device("cpu"))


def refuse(*given, **named):
    raise AssertionError("a pickle is sent")


for name in dir(dist):
    if "_object" in name:
        setattr(dist, name, refuse)
totals = Totals(processes)
found = [list(totals.of(step[processes.rank]).items()) for step in STEPS]
Path(sys.argv[1], f"{processes.rank}.json").write_text(json.dumps(found))
"""


def test_names_of_all_processes_are_added_up(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    subprocess.run(
        [*command, str(program), str(tmp_path)],
        check=True,
        timeout=300,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    expected = [
        {"a": 11, "b": 22},
        {"a": 0, "b": (1 << 60) + 3, "c": 5},
        {"a": 0, "b": 0, "c": 0},
        {"a": 0, "b": 0, "c": 0, "d": 1, "e": 2},
        {"a": 8, "b": 0, "c": 7, "d": 0, "e": 0},
    ]
    assert [dict(each) for each in first] == [dict(each) for each in second] == expected
    assert [each[0][0] for each in first if each] == ["a", "b", "a", "d", "c"]  # own names first


def test_one_process_has_all() -> None:
    totals = Totals(Processes(torch.device("cpu"), alone=True))
    assert list(totals.of({"b": 2, "a": 1}).items()) == [("b", 2), ("a", 1)]
