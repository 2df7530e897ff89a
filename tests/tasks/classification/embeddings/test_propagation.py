"""Label propagation: the paper's closed form, and what a person sees on a toy graph."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.tasks.classification.embeddings.propagation import neighbor_graph, propagated


def arcs(*degrees: float) -> np.ndarray:
    """Vectors on a circle."""
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], 1)


def one_hot(*labels: int | None, num_labels: int = 2) -> np.ndarray:
    """A row a text; None: it has no label."""
    found = np.zeros((len(labels), num_labels))
    for text, label in enumerate(labels):
        if label is not None:
            found[text, label] = 1
    return found


def test_it_is_the_closed_form() -> None:
    vectors = np.random.default_rng(0).normal(size=(30, 4))
    graph, labels = neighbor_graph(vectors, 5), one_hot(0, 1, 2, *[None] * 27, num_labels=3)
    solved = 0.1 * np.linalg.solve(np.eye(30) - 0.9 * graph.toarray(), labels)
    shares = solved / solved.sum(0)  # of each class as much as of the rows
    shares /= shares.sum(1, keepdims=True)
    assert np.allclose(propagated(graph, labels, steps=400), shares, atol=1e-9)
    assert np.abs(propagated(graph, labels) - shares).max() < 0.02


def test_labels_go_along_a_chain_and_not_across_a_gap() -> None:
    """The last text of each chain is nearer to nothing but its own chain."""
    chains = arcs(*range(0, 80, 8), *range(100, 180, 8))
    labels = one_hot(0, *[None] * 9, 1, *[None] * 9)
    found = propagated(neighbor_graph(chains, 2), labels, steps=400)
    assert found.argmax(1).tolist() == [0] * 10 + [1] * 10


def test_a_graph_has_the_nearest_neighbours() -> None:
    graph = neighbor_graph(arcs(0, 10, 50, 55), 1).toarray()
    assert np.allclose(graph, graph.T)
    assert (graph > 0).tolist() == [
        [False, True, False, False],
        [True, False, False, False],
        [False, False, False, True],
        [False, False, True, False],
    ]
    assert graph[0, 1] == pytest.approx(1)  # of the sums of both, which have no other neighbour


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(1).normal(size=(25, 3))
    whole = neighbor_graph(vectors).toarray()
    monkeypatch.setattr("foretext.tasks.classification.embeddings.propagation.BLOCK", 4)
    assert np.allclose(neighbor_graph(vectors).toarray(), whole)


def test_a_dense_class_does_not_flood_the_others() -> None:
    """Each class keeps its share, although the first has many texts around its row."""
    vectors = arcs(0, *np.linspace(1, 30, 30), 60, 64, 68)
    labels = one_hot(0, *[None] * 30, 1, None, None)
    assert propagated(neighbor_graph(vectors, 10), labels).argmax(1)[-3:].tolist() == [1, 1, 1]


def test_a_text_without_any_neighbour_has_the_shares_of_the_rows() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [-1.0, 0.0]])
    found = propagated(neighbor_graph(vectors, 1), one_hot(0, 0, 1, None))
    assert np.allclose(found[3], [2 / 3, 1 / 3])
    assert np.allclose(found.sum(1), 1)
