"""The cost of optimal transport: what it takes at least to move one set of weights onto another.

A linear programme over all pairs of points (Kantorovich), which scipy solves exactly; for the word
mover's distance (Kusner et al. 2015, "From Word Embeddings to Document Distances").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["transport_cost"]


def transport_cost(
    points: NDArray[np.float32],
    others: NDArray[np.float32],
    weights: NDArray[np.float64],
    other_weights: NDArray[np.float64],
) -> float:
    """Return the least sum of Euclidean distance times weight.

    Args:
        points: (N, D).
        others: (M, D).
        weights: (N,), which sum to 1.
        other_weights: (M,), likewise.
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack
    from scipy.spatial.distance import cdist

    distances = cdist(points, others)  # (N, M)
    if 1 in distances.shape:  # there is one plan only
        return float(weights @ distances @ other_weights)
    num_points, num_others = distances.shape
    leaving = kron(eye_array(num_points), np.ones((1, num_others)))
    arriving = kron(np.ones((1, num_points)), eye_array(num_others))
    amounts = np.concatenate([weights, other_weights])
    plan = linprog(distances.ravel(), A_eq=vstack([leaving, arriving]), b_eq=amounts)
    assert plan.success, plan.message  # weights of the same sum can always be moved
    return float(plan.fun)
