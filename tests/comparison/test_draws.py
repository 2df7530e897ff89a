"""Draws of labels: nested, of each kind its share, the same for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.comparison.draws import nested_draw, numbers_of, read_labels

KINDS = ["a"] * 60 + ["b"] * 25 + ["c"] * 10 + ["d"] * 5

some_kinds = st.lists(st.sampled_from("abcdefg"), min_size=4, max_size=80)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    kinds = draw(some_kinds)
    numbers = draw(st.sets(st.integers(2, len(kinds)), min_size=1, max_size=4))
    return kinds, sorted(numbers)


@given(cases(), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_a_larger_number_contains_the_smaller_one(
    case: tuple[list[str], list[int]], draw: int
) -> None:
    kinds, numbers = case
    found = nested_draw(kinds, numbers, seed=1, draw=draw)
    before: set[int] = set()
    for number in numbers:
        places = found[number]
        assert len(places) == len(set(places)) == number
        assert places == sorted(places)
        assert before <= set(places) <= set(range(len(kinds)))
        before = set(places)


@given(cases())
@settings(max_examples=60, deadline=None)
def test_every_kind_is_there_where_there_is_room_and_has_its_share(
    case: tuple[list[str], list[int]],
) -> None:
    kinds, numbers = case
    sizes = Counter(kinds)
    for number, places in nested_draw(kinds, numbers, seed=0, draw=0).items():
        found = Counter(kinds[place] for place in places)
        if number >= len(sizes):
            assert set(found) == set(sizes)
        shares = {kind: number * size / len(kinds) for kind, size in sizes.items()}
        assert all(found[kind] <= max(shares[kind] + 1, 1) for kind in sizes)
        if all(share >= 1 for share in shares.values()):  # nobody is there for one row's sake
            assert all(abs(found[kind] - shares[kind]) < 1 + 1e-9 for kind in sizes)


def test_shares_by_hand() -> None:
    found = nested_draw(KINDS, [4, 20, 40], seed=0, draw=0)
    counts = {number: Counter(KINDS[place] for place in own) for number, own in found.items()}
    assert counts[4] == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert counts[20] == {"a": 12, "b": 5, "c": 2, "d": 1}
    assert counts[40] == {"a": 24, "b": 10, "c": 4, "d": 2}


def test_too_few_rows_for_every_kind_show_other_kinds_in_other_draws() -> None:
    kinds = [str(number % 50) for number in range(500)]
    shown = [
        {kinds[place] for place in nested_draw(kinds, [10], seed=0, draw=draw)[10]}
        for draw in range(3)
    ]
    assert all(len(own) == 10 for own in shown)
    assert shown[0] != shown[1] != shown[2]


def test_the_same_seed_draws_the_same_and_another_draw_others() -> None:
    first, again = (nested_draw(KINDS, [20, 50], seed=3, draw=1) for _ in range(2))
    assert first == again
    assert nested_draw(KINDS, [20, 50], seed=3, draw=2) != first
    assert nested_draw(KINDS, [20, 50], seed=4, draw=1) != first


def test_a_draw_does_not_depend_on_larger_numbers() -> None:
    assert (
        nested_draw(KINDS, [20], seed=0, draw=0)[20]
        == (nested_draw(KINDS, [20, 60], seed=0, draw=0)[20])
    )


def test_numbers_are_read_in_any_order_and_once() -> None:
    assert read_labels("all, 50,20,50") == (20, 50, "all")
    assert read_labels([100, "all", 20]) == (20, 100, "all")
    assert read_labels(50) == (50,)
    assert read_labels(None) == ()


@pytest.mark.parametrize("wrong", ["twenty", "1", "0", "-5", "2.5", "20;50", "", ","])
def test_what_is_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(SettingError, match=r"--labels: .*20,100,all"):
        read_labels(wrong)


def test_too_many_numbers_are_refused() -> None:
    with pytest.raises(SettingError, match="21 numbers are too many"):
        read_labels(list(range(2, 23)))


def test_numbers_above_the_rows_become_all_rows_with_a_note() -> None:
    assert numbers_of((20, 50, "all"), 300) == ([20, 50, 300], None)
    assert numbers_of((20, 300), 300) == ([20, 300], None)
    numbers, note = numbers_of((20, 500, "all"), 300)
    assert numbers == [20, 300]
    assert note == "500 labels are more than the 300 rows to learn from; all rows stand for them"
    numbers, note = numbers_of((400, 500), 300)
    assert numbers == [300]
    assert note is not None
    assert note.startswith("400 and 500 labels are more")
