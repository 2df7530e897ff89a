"""Spans against the numbers of the paper's program, and by enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from foretext.objectives.spans import SpanCounts, hide_spans, random_segments


def test_the_papers_rows() -> None:
    """512 tokens, 15 %, mean 3: `random_spans_helper` gives 568 tokens, and 114 of a target."""
    counts = SpanCounts.packed(512, 0.15, 3.0)
    assert counts == SpanCounts(tokens=568, hidden=85, spans=28)
    assert (counts.source_length, counts.target_length) == (512, 114)


@pytest.mark.parametrize(("rate", "mean"), [(0.15, 3.0), (0.5, 1.0), (0.5, 3.0), (0.9, 10.0)])
def test_packed_rows_are_as_long_as_they_can_be(rate: float, mean: float) -> None:
    for length in range(3, 200):
        counts = SpanCounts.packed(length, rate, mean)
        assert counts.source_length <= length
        assert SpanCounts.of(counts.tokens + 1, rate, mean).source_length > length
        assert 1 <= counts.spans <= min(counts.hidden, counts.tokens - counts.hidden)


def test_every_division_is_as_likely_as_any_other() -> None:
    """Five items in three segments: six divisions."""
    drawn = random_segments(5, 3, 6_000, np.random.default_rng(0))
    found = Counter(map(tuple, drawn.tolist()))
    assert set(found) == {(1, 1, 3), (1, 3, 1), (3, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert min(found.values()) > 900


@pytest.mark.parametrize(("items", "segments"), [(1, 1), (7, 1), (7, 7), (40, 6)])
def test_segments_hold_all_items(items: int, segments: int) -> None:
    drawn = random_segments(items, segments, 50, np.random.default_rng(1))
    assert drawn.shape == (50, segments)
    assert (drawn >= 1).all()
    assert (drawn.sum(1) == items).all()


def test_hidden_spans_have_their_numbers() -> None:
    counts = SpanCounts.packed(64, 0.15, 3.0)
    hidden, spans = hide_spans(counts, 40, np.random.default_rng(2))
    assert (hidden.sum(1) == counts.hidden).all()
    assert not hidden[:, 0].any()
    assert hidden[:, -1].all()
    for row, numbers in zip(hidden, spans, strict=True):
        begins = np.flatnonzero(np.diff(row.astype(int), prepend=0) == 1)
        assert len(begins) == counts.spans
        assert numbers[begins].tolist() == list(range(counts.spans))
    assert len({tuple(row) for row in hidden.tolist()}) == 40


def test_the_mean_length_is_the_papers() -> None:
    counts = SpanCounts.packed(512, 0.15, 3.0)
    hidden, _ = hide_spans(counts, 64, np.random.default_rng(3))
    assert hidden.mean() == pytest.approx(0.15, abs=0.001)
    assert counts.hidden / counts.spans == pytest.approx(3.0, abs=0.05)
    assert abs(hidden[:, 1:-3].mean(0) - 0.15).mean() < 0.06  # of 64 rows each: no place preferred
