"""Processes that are asked, that fail, and that die."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from foretext.base.errors import ForetextError
from foretext.vectors.replicas.local_group import (
    LINE,
    LocalProcesses,
    ProcessLostError,
    SharedArrays,
    SharedWeights,
)

SIZES = {"first": ("f4", 5), "empty": ("i8", 0), "last": ("i8", 3)}


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProcesses]:
    monkeypatch.setenv("PYTHONPATH", ".", prepend=os.pathsep)
    opener = "tests.vectors.replicas.parts:opened"
    with LocalProcesses(opener, lambda number: [number], 3) as processes:
        processes.restart()
        yield processes


def test_all_are_asked_and_answer_in_order(processes: LocalProcesses) -> None:
    assert processes.ask("learn", 1, 0.5) == [[n, "learn", [1, 0.5]] for n in range(3)]
    assert processes.ask_each("learn", [[5], [], [6]]) == [
        [0, "learn", [5]],
        [1, "learn", []],
        [2, "learn", [6]],
    ]
    assert len(processes.ask("print")) == 3  # what is printed there is no answer


def test_a_problem_is_a_sentence_and_they_go_on(processes: LocalProcesses) -> None:
    with pytest.raises(ForetextError, match=r"process 0 has no text\."):
        processes.ask("fail")
    assert len(processes.ask("learn")) == 3


def test_one_that_died_is_told_and_replaced(processes: LocalProcesses) -> None:
    with pytest.raises(ProcessLostError, match=r"process 1 of the training ended \(code -9\)"):
        processes.ask("die", 1)
    with pytest.raises(ProcessLostError):  # until it is started again
        processes.ask("learn")
    processes.restart()
    assert processes.ask("learn") == [[n, "learn", []] for n in range(3)]


def test_what_one_writes_the_other_reads() -> None:
    shared = SharedArrays(SIZES)
    other = SharedArrays(SIZES, os.dup(shared.descriptor))
    for name, (dtype, length) in SIZES.items():
        assert (shared.arrays[name].dtype, shared.arrays[name].shape) == (dtype, (length,))
        assert not shared.arrays[name].any()
        assert shared.arrays[name].ctypes.data % LINE == 0 or length == 0
    shared.arrays["first"][:] = 2
    other.arrays["last"][1] = 7
    assert shared.arrays["last"].tolist() == [0, 7, 0]
    assert other.arrays["first"].tolist() == [2] * 5
    other.close()
    shared.close()
    assert shared.arrays["first"].sum() == 10  # the memory outlives its descriptor


def test_copies_lie_one_after_another() -> None:
    weights = SharedWeights({"a": np.zeros(32, "f4"), "b": np.zeros(16, "f4")}, 3)
    for number in range(3):
        for name, array in weights.copy(number).items():
            array[:] = number + (10 if name == "b" else 0)
    assert weights.copies["a"].tolist() == [0] * 32 + [1] * 32 + [2] * 32
    assert weights.copies["b"].tolist() == [10] * 16 + [11] * 16 + [12] * 16
    assert not any(array.any() for array in (*weights.averaged.values(), *weights.merged.values()))
    descriptor = weights.descriptor
    weights.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
