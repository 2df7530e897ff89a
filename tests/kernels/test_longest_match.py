"""The longest sequences of a list, against a plain search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foretext.kernels.longest_match import find_longest

V = 4


def found(
    ids: list[int], ends: list[int], opens: list[bool], sequences: list[tuple[int, ...]]
) -> list[int]:
    """Lengths by the kernel."""
    ordered = sorted(set(sequences))
    starts = np.cumsum([0, *map(len, ordered)], dtype=np.int64)
    tokens = np.array([token for each in ordered for token in each], np.uint32)
    firsts = np.searchsorted([each[0] for each in ordered], np.arange(V + 1)).astype(np.int64)
    lengths = np.zeros(len(ids), np.int32)
    numbers = np.array(ids, np.uint32), np.array(ends, np.int64), np.array(opens, np.bool_)
    find_longest(*numbers, firsts, starts, tokens, lengths)
    return lengths.tolist()


def plainly(
    ids: list[int], ends: list[int], opens: list[bool], sequences: list[tuple[int, ...]]
) -> list[int]:
    """Lengths by looking for each sequence at each place."""
    lengths, place = [0] * len(ids), 0
    while place < len(ids):
        end = min(each for each in ends if each > place)
        fitting = [
            len(each)
            for each in sequences
            if opens[place]
            and tuple(ids[place : place + len(each)]) == each
            and place + len(each) <= end
            and (place + len(each) == end or opens[place + len(each)])
        ]
        lengths[place] = max(fitting, default=0)
        place += max(lengths[place], 1)
    return lengths


def test_worked_example() -> None:
    new_york, york_city, new = (1, 2), (2, 3), (1,)
    ids, opens = [1, 2, 3, 1, 1, 2, 0], [True] * 7
    assert found(ids, [7], opens, [new_york, york_city, new]) == [2, 0, 0, 1, 2, 0, 0]
    assert found(ids, [1, 7], opens, [new_york, york_city]) == [0, 2, 0, 0, 2, 0, 0]
    within = [True, True, False, True, True, True, True]  # the 3 continues the word of the 2
    assert found(ids, [7], within, [new_york]) == [0, 0, 0, 0, 2, 0, 0]
    assert found(ids, [7], opens, []) == [0] * 7


@given(data=st.data())
def test_as_a_plain_search(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 30))
    ids = data.draw(st.lists(st.integers(0, V - 1), min_size=length, max_size=length))
    opens = data.draw(st.lists(st.booleans(), min_size=length, max_size=length))
    ends = sorted(data.draw(st.sets(st.integers(1, length))) | {length})
    sequence = st.lists(st.integers(0, V - 1), min_size=1, max_size=4).map(tuple)
    sequences = data.draw(st.lists(sequence, max_size=12))
    assert found(ids, ends, opens, sequences) == plainly(ids, ends, opens, sequences)
