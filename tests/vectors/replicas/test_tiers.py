"""Which rows are due when: all of them after the last round of a cycle, none twice."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.replicas.tiers import ROUNDS, Rows, parts_due


def test_frequent_rows_are_due_more_often() -> None:
    due = [parts_due(number) for number in range(ROUNDS)]
    often = [32, 32, 32, 8] * 3 + [32, 32, 32]
    assert due == [*often, 2, *often, 1]


@pytest.mark.parametrize("frequent_last", [False, True])
@pytest.mark.parametrize("num_processes", [1, 3, 7])
def test_processes_share_what_is_due(num_processes: int, frequent_last: bool) -> None:
    rows = Rows(np.ones(100), 16, frequent_last)
    for number in range(ROUNDS):
        parts = [rows.due(number, process, num_processes) for process in range(num_processes)]
        found = [row for first, last in parts for row in range(first, last)]
        first, last = rows.due(number, 0, 1)
        assert found == list(range(first, last))
        assert last - first == -(-100 // parts_due(number))
        assert (last == 100) if frequent_last else (first == 0)


@pytest.mark.parametrize("frequent_last", [False, True])
def test_rounds_between_two_meetings_are_those_of_the_schedule(frequent_last: bool) -> None:
    rows = Rows(np.ones(50), 16, frequent_last)
    times = np.zeros(50)
    for number in range(ROUNDS):
        first, last = rows.due(number, 0, 1)
        times[first:last] += 1
    np.testing.assert_array_equal(rows.rounds(), ROUNDS / times)
