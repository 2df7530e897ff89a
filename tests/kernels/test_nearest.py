"""The heap of best scores against sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.kernels.nearest import keep_best


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=600), min_size=1, max_size=4),
    st.integers(1, 20),
)
def test_keeps_what_sorting_would_keep(blocks, k):
    best_scores = np.full((1, k), -np.inf, np.float32)
    best_rows = np.full((1, k), 1_000_000)
    start = 0
    for block in blocks:
        scales = np.full(len(block), 0.5, np.float32)
        keep_best(np.array([block], np.float32), scales, start, best_scores, best_rows)
        start += len(block)
    scores = np.concatenate(blocks) / 2
    expected = np.lexsort((np.arange(start), -scores))[:k]
    kept = np.lexsort((best_rows[0], -best_scores[0]))[: len(expected)]
    assert best_rows[0, kept].tolist() == expected.tolist()
    assert best_scores[0, kept].tolist() == scores[expected].tolist()
