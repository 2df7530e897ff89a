"""The order of the table."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.comparison.ranking import ranked


def entry(name: str, status: str = "finished", **more: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("test", "valid", "milliseconds_per_row"))
    return {"name": name, "status": status, "rounds": [], **empty, **more}


def names(*entries: dict[str, Any]) -> list[str]:
    return [each["name"] for each in ranked(entries)]


def test_the_best_on_the_rows_that_all_answered_comes_first() -> None:
    first = entry("a", test={"value": 0.7}, valid={"mean": 0.9})
    second = entry("b", test={"value": 0.8}, valid={"mean": 0.1})
    assert names(first, second) == ["b", "a"]


def test_of_equally_good_ones_the_better_on_held_out_rows_comes_first() -> None:
    worse, better = (entry(str(mean), test={"value": 0.7}, valid={"mean": mean}) for mean in (1, 2))
    assert names(worse, better) == ["2", "1"]
    slow, fast = (
        entry(str(ms), test={"value": 0.7}, valid={"mean": 1}, milliseconds_per_row=ms)
        for ms in (9.0, 1.0)
    )
    assert names(slow, fast) == ["9.0", "1.0"]  # as they came: times differ from run to run


@pytest.mark.parametrize("swapped", [False, True])
def test_those_without_a_model_come_last(swapped: bool) -> None:
    entries = [
        entry("finished", test={"value": 0.1}),
        entry("dropped in round 2", "dropped", valid={"mean": 0.2}, rounds=[1, 2]),
        entry("dropped, better", "dropped", valid={"mean": 0.9}, rounds=[1]),
        entry("dropped, worse", "dropped", valid={"mean": 0.5}, rounds=[1]),
        entry("failed", "failed"),
        entry("left out", "left out"),
    ]
    assert names(*(entries[::-1] if swapped else entries)) == [each["name"] for each in entries]
