"""The longest common subsequence, beside the table of the textbook."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foretext.metrics.subsequence import longest_common_subsequence


def table(first: str, second: str) -> int:
    lengths = [0] * (len(second) + 1)
    for item in first:
        before = lengths[:]
        for j, other in enumerate(second):
            lengths[j + 1] = before[j] + 1 if item == other else max(before[j + 1], lengths[j])
    return lengths[-1]


@given(st.text("abcd", max_size=90), st.text("abcd", max_size=90))
def test_the_table_gives_the_same(first: str, second: str) -> None:
    assert longest_common_subsequence(first, second) == table(first, second)


def test_by_hand() -> None:
    assert longest_common_subsequence("ABCBDAB", "BDCABA") == 4  # BCBA
    assert longest_common_subsequence([], ["a"]) == 0
