"""Batches of equal numbers of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foretext.data.padded_examples import WIDEST, token_batches

LENGTHS = st.lists(st.integers(0, 200), max_size=60)


@given(LENGTHS, st.sampled_from([64, 256]), st.integers(1, 4))
def test_each_row_is_in_one_batch_and_batches_are_alike(
    lengths: list[int], batch_tokens: int, num_threads: int
) -> None:
    batches = token_batches(lengths, batch_tokens, num_threads)
    order = sorted(range(len(lengths)), key=lambda row: -max(lengths[row], 1))
    assert [row for batch in batches for row in batch] == order
    for batch in batches:
        own = [max(lengths[row], 1) for row in batch]  # rows without a token fill a batch, too
        assert sum(own) <= batch_tokens + max(own)
        assert max(own) <= WIDEST * min(own)


def test_threads_have_as_many_batches_of_as_many_tokens() -> None:
    batches = token_batches([10] * 45, 100, 2)  # five full batches would leave one thread idle
    assert sorted(map(len, batches)) == [7, 7, 7, 8, 8, 8]
    assert len(token_batches([10] * 15, 100, 4)) == 2


def test_short_rows_do_not_wait_beside_a_long_one() -> None:
    assert token_batches([5, 100, 30, 5], 1000) == [[1, 2], [0, 3]]
    assert token_batches([], 100) == []
