"""Processes that are asked, that fail, and that die."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from foretext.base.errors import ForetextError
from foretext.vectors.replicas.processes import LocalProcesses, ProcessLostError


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
