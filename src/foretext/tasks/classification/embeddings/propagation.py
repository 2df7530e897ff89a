"""Label propagation: each text gets the labels of its neighbours, again and again.

Zhou et al. 2004, "Learning with Local and Global Consistency": on a graph of the nearest neighbours
with the normalised weights S, the labels Y of a few texts spread to

    F = (1 - α) (Y + α S Y + α² S² Y + ...).

Each class keeps the share that it has among the rows, or a dense class would flood the others
(class mass normalisation, Zhu, Ghahramani & Lafferty 2003, section 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["neighbor_graph", "propagated"]

Array = NDArray[np.float64]
Graph = Any  # (N, N), sparse

NEIGHBORS = 15
SHARPNESS = 3  # power of a cosine, as the weight of an edge
ALPHA, STEPS = 0.9, 50  # how far labels spread, and for how long: 0.9⁵⁰ is left out
BLOCK = 1024  # texts that are compared with all others at once
TINY = 1e-12


def neighbor_graph(vectors: Array, neighbors: int = NEIGHBORS) -> Graph:
    """Return the normalised weights between vectors (N, D) and their nearest neighbours, (N, N).

    Two vectors are joined where one is among the nearest of the other; weights are a power of the
    cosine, divided by the roots of the sums of both.
    """
    from scipy.sparse import csr_matrix, diags

    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), TINY)
    unit = (vectors / lengths).astype(np.float32)
    number = min(neighbors, len(unit) - 1)
    places, cosines = [], []
    for start in range(0, len(unit), BLOCK):
        found = unit[start : start + BLOCK] @ unit.T
        np.fill_diagonal(found[:, start:], -np.inf)  # nobody is a neighbour of its own
        nearest = np.argpartition(-found, number - 1, axis=1)[:, :number]
        places.append(nearest)
        cosines.append(np.take_along_axis(found, nearest, 1))
    weights = np.maximum(np.concatenate(cosines), 0.0).ravel() ** SHARPNESS
    rows = np.repeat(np.arange(len(unit)), number)
    shape = (len(unit), len(unit))
    graph = csr_matrix((weights, (rows, np.concatenate(places).ravel())), shape)
    graph = graph.maximum(graph.T)
    roots = np.sqrt(np.maximum(np.asarray(graph.sum(1)).ravel(), TINY))
    return diags(1 / roots) @ graph @ diags(1 / roots)


def propagated(graph: Graph, labels: Array, alpha: float = ALPHA, steps: int = STEPS) -> Array:
    """Return how probable each label is for each text, (N, C).

    Args:
        graph: (N, N), of `neighbor_graph`.
        labels: (N, C), 1 for the label of a row; a text without one has zeros.
        alpha: share of a step that comes from the neighbours.
        steps: of spreading.
    """
    spread = labels
    for _ in range(steps):
        spread = alpha * (graph @ spread) + (1 - alpha) * labels
    masses = spread.sum(0)
    shared = spread * (labels.sum(0) / np.maximum(masses, TINY))
    totals = shared.sum(1, keepdims=True)
    unreached = np.broadcast_to(labels.sum(0) / labels.sum(), shared.shape)
    return np.where(totals > TINY, shared / np.maximum(totals, TINY), unreached)
