from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from foretext.heads.best_spans import best_spans

SCORES = st.one_of(st.integers(-3, 3).map(float), st.just(-np.inf))


def test_worked_example() -> None:
    starts = np.array([[1, 5, 0]], np.float32)
    ends = np.array([[4, -1, 3]], np.float32)
    best = best_spans(starts, ends, max_length=2, num_best=3)
    assert list(zip(best.starts[0], best.ends[0], best.scores[0], strict=True)) == [
        (1, 2, 8),
        (0, 0, 5),
        (1, 1, 4),
    ]


@given(
    logits=st.tuples(st.integers(1, 3), st.integers(1, 7)).flatmap(
        lambda shape: arrays(np.float32, (2, *shape), elements=SCORES)
    ),
    max_length=st.integers(1, 8),
    num_best=st.integers(1, 12),
)
def test_what_a_search_of_all_spans_finds(
    logits: NDArray[np.float32], max_length: int, num_best: int
) -> None:
    best = best_spans(*logits, max_length, num_best)
    for starts, ends, found in zip(*logits, zip(*best, strict=True), strict=True):
        every = {
            (i, j): starts[i] + ends[j]
            for i, j in product(range(len(starts)), repeat=2)
            if i <= j < i + max_length and starts[i] + ends[j] > -np.inf
        }
        spans = {(i, j): s for i, j, s in zip(*found, strict=True) if s > -np.inf}
        assert list(spans.values()) == sorted(every.values(), reverse=True)[:num_best]
        assert all(every[span] == score for span, score in spans.items())


def test_nothing_where_no_span_may_be() -> None:
    never = np.full((2, 3), -np.inf, np.float32)
    assert best_spans(never, never, 2, 4).scores.max() == pytest.approx(-np.inf)
