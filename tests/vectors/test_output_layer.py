"""Sub-sampling and noise by their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.output_layer import as_chances, keep_rates, noise_weights

COUNTS = np.array([0, 900, 90, 10])


def test_authors_formula() -> None:
    """Keep with (sqrt(f / t) + 1) t / f: f = 0.9, t = 1e-3 gives 0.0344."""
    rates = keep_rates(COUNTS, 1e-3, "word2vec")
    assert rates[0] == 0
    assert rates[1] == pytest.approx((np.sqrt(900) + 1) / 900)
    assert rates[3] == pytest.approx((np.sqrt(10) + 1) / 10)


def test_papers_formula() -> None:
    """Drop with 1 - sqrt(t / f): f = 0.9, t = 1e-4 drops all but 0.0105."""
    rates = keep_rates(COUNTS, 1e-4, "paper")
    assert 1 - rates[1] == pytest.approx(max(1 - np.sqrt(1e-4 / 0.9), 0))
    assert keep_rates(np.array([1, 10**6]), 1e-4, "paper")[0] == 1.0  # a rare word always stays


def test_no_sub_sampling_keeps_all_but_what_never_occurs() -> None:
    assert keep_rates(COUNTS, 0, "word2vec").tolist() == [0, 1, 1, 1]


def test_noise_is_a_power_of_the_counts() -> None:
    assert noise_weights(COUNTS, 0.75).tolist() == [0, *np.array([900.0, 90, 10]) ** 0.75]
    assert noise_weights(COUNTS, 0.0).tolist() == [0, 1, 1, 1]


def test_chances_span_all_32_bits() -> None:
    assert as_chances(np.array([0.0, 0.5, 1.0])).tolist() == [0, 2**31, 2**32 - 1]
