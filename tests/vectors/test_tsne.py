from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.vectors.tsne import neighbor_shares, tsne


def groups(number: int, size: int) -> NDArray[np.float64]:
    """Rows around so many centres, `size` of each."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(number, 10))
    return np.repeat(centres, size, axis=0) + 0.3 * rng.normal(size=(number * size, 10))


def squared_distances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.square(rows[:, None] - rows[None]).sum(axis=2))


def divergence(shares: NDArray[np.float64], places: NDArray[np.float64]) -> float:
    near = 1 / (1 + squared_distances(places))
    np.fill_diagonal(near, 0)
    near /= near.sum()
    kept = shares > 0
    return float((shares[kept] * np.log(shares[kept] / near[kept])).sum())


def test_shares_have_the_perplexity_that_is_asked_for() -> None:
    """Of points in a ring every row is alike, so that shares are a row's distribution."""
    angles = np.arange(40) * 2 * np.pi / 40
    distances = squared_distances(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    shares = neighbor_shares(distances, 8)
    np.testing.assert_allclose(shares, shares.T)
    assert shares.sum() == pytest.approx(1)
    row = shares[0, 1:] * 40
    assert np.exp(-(row * np.log(row)).sum()) == pytest.approx(8, rel=1e-3)


def test_equal_points_have_equal_neighbours() -> None:
    shares = neighbor_shares(np.zeros((5, 5)), 1.2)
    np.testing.assert_allclose(shares, (1 - np.eye(5)) / 20)


@pytest.mark.slow
def test_places_are_as_good_as_those_of_scikit_learn() -> None:
    from sklearn.manifold import TSNE

    rows = groups(6, 20)
    start = 1e-4 * rows[:, :2]
    distances = squared_distances(rows)
    ours = tsne(distances, start, 10)
    theirs = TSNE(
        metric="precomputed", perplexity=10, init=start.astype(np.float32), method="exact"
    ).fit_transform(np.sqrt(distances))  # which it squares
    shares = neighbor_shares(distances, 10)
    assert divergence(shares, ours) < divergence(shares, theirs) + 0.02
