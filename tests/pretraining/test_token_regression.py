"""Ridge regression of token vectors, against the normal equations solved at once."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.pretraining.token_regression import TokenShares, regress
from foretext.tokenizers.laid_texts import laid

V, DIM = 7, 3
TEXTS = [[0, 1, 1], [2], [3, 4, 0, 2], [1, 2], [5, 5, 5, 0, 1]]  # token 6 occurs in none


@pytest.fixture
def shares() -> TokenShares:
    return TokenShares(laid(TEXTS), V)


def matrix() -> np.ndarray:
    found = np.zeros((len(TEXTS), V))
    for text, ids in enumerate(TEXTS):
        np.add.at(found[text], ids, 1 / len(ids))
    return found


def drawn(rows: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, DIM)).astype(np.float32)


def test_the_map_and_its_transpose(shares: TokenShares) -> None:
    vectors, means = drawn(V, 0), drawn(len(TEXTS), 1)
    np.testing.assert_allclose(shares.means(vectors), matrix() @ vectors, atol=1e-6)
    np.testing.assert_allclose(shares.sums(means), matrix().T @ means, atol=1e-6)


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_the_solution_is_that_of_the_normal_equations(shares: TokenShares, ridge: float) -> None:
    A, targets, known = matrix(), drawn(len(TEXTS), 2), drawn(V, 3)
    found = regress(shares, targets, known, ridge=ridge, steps=20)
    expected = known + np.linalg.solve(A.T @ A + ridge * np.eye(V), A.T @ (targets - A @ known))
    np.testing.assert_allclose(found, expected, atol=1e-3)
    np.testing.assert_array_equal(found[6], known[6])


def test_without_steps_nothing_changes(shares: TokenShares) -> None:
    known = drawn(V, 3)
    found = regress(shares, drawn(len(TEXTS), 2), known, ridge=0.1, steps=0)
    np.testing.assert_array_equal(found, known)


def test_what_fits_already_stays(shares: TokenShares) -> None:
    known = drawn(V, 3)
    found = regress(shares, shares.means(known), known, ridge=0.1, steps=5)
    np.testing.assert_allclose(found, known, atol=1e-5)


def test_a_text_without_tokens_is_a_defect() -> None:
    with pytest.raises(AssertionError, match="without a token"):
        TokenShares(laid([[1], []]), V)
