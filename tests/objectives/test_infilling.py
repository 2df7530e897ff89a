"""Text infilling: what a source shows, and how long spans are."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.objectives.infilling import draw_span_lengths, infill

MASK, PAD = 1, 0


def rows(num_rows: int = 200, length: int = 126) -> np.ndarray:
    return np.arange(10, 10 + length) + 1_000 * np.arange(num_rows)[:, None]


def test_a_source_is_the_text_with_masks_in_place_of_spans() -> None:
    text = rows()
    found = infill(text, 0.3, 3.0, np.random.default_rng(0), mask=MASK, pad=PAD)
    for row in range(len(text)):
        source = found.source[row, : found.lengths[row]]
        assert (found.source[row, found.lengths[row] :] == PAD).all()
        shown = source[source != MASK]
        assert shown.tolist() == text[row, ~found.hidden[row]].tolist()
        # what a mask stands for lies between its neighbours
        at, missing = 0, []
        for token in source:
            if token == MASK:
                missing.append(0)
                continue
            while text[row, at] != token:
                missing[-1] += 1
                at += 1
            at += 1
        assert sum(missing) + len(text[row]) - at == found.hidden[row].sum()


def test_exactly_the_share_is_hidden() -> None:
    found = infill(rows(), 0.3, 3.0, np.random.default_rng(1), mask=MASK, pad=PAD)
    assert (found.hidden.sum(1) == round(0.3 * 126)).all()
    assert len({tuple(row) for row in found.hidden.tolist()}) == 200


def test_no_place_is_preferred() -> None:
    found = infill(rows(3_000), 0.3, 3.0, np.random.default_rng(2), mask=MASK, pad=PAD)
    by_place = found.hidden.mean(0)[5:-5]  # few spans reach the first and the last tokens
    assert by_place.min() > 0.26
    assert by_place.max() < 0.34


def test_lengths_are_poissons() -> None:
    drawn = draw_span_lengths(3_000, 3.0, 20, np.random.default_rng(3))
    assert (np.where(drawn > 0, drawn, 0).sum(1) == 3_000).all()
    lengths = drawn[drawn >= 0]
    assert lengths.mean() == pytest.approx(3.0, rel=0.03)
    assert lengths.var() == pytest.approx(3.0, rel=0.06)
    assert (lengths == 0).mean() == pytest.approx(np.exp(-3), rel=0.1)


def test_a_span_of_no_tokens_inserts_a_mask() -> None:
    found = infill(rows(50, 20), 0.2, 0.5, np.random.default_rng(4), mask=MASK, pad=PAD)
    masks = (found.source == MASK).sum(1)
    assert (masks > found.hidden.sum(1)).any()


@pytest.mark.parametrize(("length", "rate"), [(1, 0.3), (2, 0.3), (5, 0.0), (5, 0.99), (40, 0.9)])
def test_rows_of_any_length(length: int, rate: float) -> None:
    text = rows(30, length)
    found = infill(text, rate, 3.0, np.random.default_rng(5), mask=MASK, pad=PAD)
    assert (found.hidden.sum(1) == round(length * rate)).all()
    assert ((found.source > MASK).sum(1) == (~found.hidden).sum(1)).all()
