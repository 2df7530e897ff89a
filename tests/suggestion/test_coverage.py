from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.suggestion.coverage import cluster_centers, k_center

Vectors = NDArray[np.float32]


def plane(*points: tuple[float, float]) -> Vectors:
    return np.array(points, np.float32)


def radius(vectors: Vectors, rows: object) -> float:
    """The largest distance of a vector to the nearest of some rows."""
    distances = np.linalg.norm(vectors[:, None] - vectors[list(rows)][None], axis=2)  # type: ignore[call-overload]
    return float(distances.min(1).max())


def test_the_far_points_are_picked_first() -> None:
    points = plane((0, 0), (0.1, 0), (0, 0.1), (10, 0), (0, 7), (10.1, 0), (0.05, 0.05))
    rows, distances = k_center(points, 4)
    assert rows[0] in (0, 1, 2, 6)  # next to the mean
    assert [int(row) for row in rows[1:3]] == [5, 4]
    assert distances[0] == 0
    assert (np.diff(distances[1:]) <= 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_the_radius_is_at_most_twice_the_least_one(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(12, 2)).astype(np.float32)
    rows, _ = k_center(points, 3)
    best = min(radius(points, chosen) for chosen in combinations(range(12), 3))
    assert radius(points, rows) <= 2 * best + 1e-5


def test_what_is_covered_is_far_from_what_is_picked() -> None:
    points = plane((0, 0), (0.2, 0), (5, 5), (5.1, 5), (9, 0))
    rows, distances = k_center(points, 2, plane((0, 0), (5, 5)))
    assert int(rows[0]) == 4
    assert distances[0] == pytest.approx(np.sqrt(41), rel=1e-5)  # from (5, 5)


@pytest.mark.parametrize("covered", [None, plane((1, 1))])
def test_equal_points_are_picked_once_each(covered: Vectors | None) -> None:
    points = np.ones((5, 2), np.float32)
    rows, _ = k_center(points, 9, covered)
    assert sorted(rows.tolist()) == [0, 1, 2, 3, 4]
    centers, sizes = cluster_centers(points, 5, np.zeros(5), covered)
    assert sorted(centers.tolist()) == [0, 1, 2, 3, 4]
    assert sizes.sum() <= 5


def blobs(seed: int = 0) -> tuple[Vectors, NDArray[np.int64]]:
    """60, 30 and 10 points around three centres."""
    rng = np.random.default_rng(seed)
    which = np.repeat([0, 1, 2], [60, 30, 10])
    centers = plane((0, 0), (8, 0), (0, 8))
    return (centers[which] + rng.normal(scale=0.3, size=(100, 2))).astype(np.float32), which


@pytest.mark.parametrize("seed", range(5))
def test_a_point_of_each_cluster_the_largest_first(seed: int) -> None:
    points, which = blobs()
    rows, sizes = cluster_centers(points, 3, np.ones(100), seed=seed)
    assert which[rows].tolist() == [0, 1, 2]
    assert sizes.tolist() == [60, 30, 10]
    assert np.linalg.norm(points[rows] - plane((0, 0), (8, 0), (0, 8)), axis=1).max() < 0.4


def test_clusters_of_what_is_covered_are_passed_over() -> None:
    points, which = blobs()
    rows, sizes = cluster_centers(points, 1, np.ones(100), plane((0, 0), (8, 0)))
    assert which[rows].tolist() == [2]
    assert sizes.tolist() == [10]


def test_weights_move_a_centre() -> None:
    points = np.linspace(0, 1, 11, dtype=np.float32)[:, None]
    (even,), _ = cluster_centers(points, 1, np.ones(11))
    (heavy,), _ = cluster_centers(points, 1, np.where(np.arange(11) > 7, 100.0, 1.0))
    assert int(even) == 5
    assert int(heavy) in (8, 9)


def test_the_same_seed_chooses_the_same() -> None:
    points, _ = blobs(3)
    first = cluster_centers(points, 20, np.ones(100), seed=4)[0]
    assert (first == cluster_centers(points, 20, np.ones(100), seed=4)[0]).all()
    assert len({*first.tolist()}) == 20
