"""Batches of similar lengths."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foretext.data.padded_examples import FIXED_RATE, length_batches

LENGTHS = st.lists(st.integers(0, 40), max_size=9)


def cost(batches: list[list[int]], lengths: list[int], batch_tokens: int) -> int:
    """Positions with padding, and the fixed part of each batch."""
    positions = [len(batch) * max(1, *(lengths[row] for row in batch)) for batch in batches]
    return sum(positions) + len(batches) * int(batch_tokens * FIXED_RATE)


@given(LENGTHS, st.sampled_from([16, 32, 64]))
def test_no_other_cut_of_the_sorted_rows_costs_less(lengths: list[int], batch_tokens: int) -> None:
    found = length_batches(lengths, batch_tokens)
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    assert [row for batch in found for row in batch] == order
    costs = []
    for ends in product([False, True], repeat=max(len(order) - 1, 0)):
        batches = [order[:1]] if order else []
        for row, begins in zip(order[1:], ends, strict=True):
            if begins:
                batches.append([row])
            else:
                batches[-1].append(row)
        widths = [max(lengths[batch[0]], 1) for batch in batches]
        if all(
            len(batch) == 1 or len(batch) * width <= batch_tokens
            for batch, width in zip(batches, widths, strict=True)
        ):
            costs.append(cost(batches, lengths, batch_tokens))
    assert cost(found, lengths, batch_tokens) == min(costs)


def test_worked_by_hand() -> None:
    # A batch costs 6 beside its positions: 66 for one of 3 rows of 20, 38 for 20 and 2 rows of 3.
    assert length_batches([3, 20, 2], 64) == [[1], [0, 2]]
    # 18 for one of 3 rows of 4, and 22 for 4 and 2 rows of 3.
    assert length_batches([3, 4, 2], 64) == [[1, 0, 2]]


def test_many_rows_make_full_batches_without_much_padding() -> None:
    lengths = np.random.default_rng(0).integers(10, 150, 4096).tolist()
    batches = length_batches(lengths, 1024)
    assert sorted(row for batch in batches for row in batch) == list(range(4096))
    positions = sum(len(batch) * max(lengths[row] for row in batch) for batch in batches)
    assert positions < 1.01 * sum(lengths)
    assert len(batches) < 1.1 * positions / 1024
