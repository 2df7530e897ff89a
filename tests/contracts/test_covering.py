"""Fewer combinations, in which each pair of values occurs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest

from tests.contracts.covering import covering, quick_if

CASES = list(product("abc", range(3), (False, True)))


def pairs(case: tuple[object, ...]) -> set[tuple[object, ...]]:
    return set(combinations(enumerate(case), 2))


def test_every_pair_is_there_in_half_of_the_cases() -> None:
    chosen = covering(CASES, pairs)
    assert set().union(*map(pairs, chosen)) == set().union(*map(pairs, CASES))
    assert len(chosen) == 9  # as many as two axes of three values have pairs


def test_every_value_is_there_in_as_many_cases_as_the_longest_axis_has() -> None:
    chosen = covering(CASES, set)
    assert set().union(*chosen) == {*"abc", *range(3)}  # to Python, False is 0
    assert len(chosen) == 3


def test_pairs_that_never_occur_are_not_waited_for() -> None:
    assert covering([("a", 0), ("b", 1)], pairs) == [("a", 0), ("b", 1)]


def test_values_that_were_chosen_least_come_next() -> None:
    chosen = covering(list(product("abc", range(6))), lambda case: {case[1], case[0]})
    assert Counter(letter for letter, _ in chosen) == {"a": 2, "b": 2, "c": 2}


def test_the_others_are_slow() -> None:
    quick, slow = quick_if(["a", "b"], ["a"])
    assert not quick.marks
    assert [mark.name for mark in slow.marks] == [pytest.mark.slow.name]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("number", range(4))
def test_of_many_cases_the_first_are_quick(number: int, request: pytest.FixtureRequest) -> None:
    assert (request.node.get_closest_marker("slow") is not None) == (number >= 2)
