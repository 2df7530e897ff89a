"""The alias table and the Huffman tree against their definitions, and the draws against both."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.kernels.alias import alias_table
from foretext.kernels.compile import kernel
from foretext.kernels.draws import below, draw_noise, high32, random64
from foretext.kernels.huffman import huffman_paths


@kernel()
def draw_many(alias, n, hits):
    for counter in range(n):
        hits[draw_noise(alias, np.uint64(counter))] += 1


@kernel()
def spread(limit, n, hits):
    for counter in range(n):
        hits[below(high32(random64(np.uint64(counter))), limit)] += 1


def alias_probabilities(table: np.ndarray) -> np.ndarray:
    """The distribution that drawing from the table gives, by its definition."""
    share = np.zeros(len(table))
    for row, (chance, alias) in enumerate(table):
        share[row] += chance / 2**32
        share[alias] += 1 - chance / 2**32
    return share / len(table)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=50).filter(any))
def test_alias_table_is_the_distribution(weights: list[int]) -> None:
    wanted = np.array(weights, np.float64)
    table = alias_table(wanted.copy())
    np.testing.assert_allclose(alias_probabilities(table), wanted / wanted.sum(), atol=1e-6)


def test_draws_follow_the_table() -> None:
    weights = np.array([0.0, 8.0, 4.0, 2.0, 1.0, 1.0])
    hits = np.zeros(6, np.int64)
    draw_many(alias_table(weights.copy()), 160_000, hits)
    assert hits[0] == 0
    np.testing.assert_allclose(hits / 10_000, weights, rtol=0.04)


def test_below_is_uniform() -> None:
    hits = np.zeros(7, np.int64)
    spread(7, 70_000, hits)
    np.testing.assert_allclose(hits, 10_000, rtol=0.04)


def heap_cost(counts: list[int]) -> int:
    """The cost of an optimal code, by the textbook's heap: the sum of all inner nodes' weights."""
    heap = list(counts)
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        node = heapq.heappop(heap) + heapq.heappop(heap)
        cost += node
        heapq.heappush(heap, node)
    return cost


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=60))
def test_huffman_code_is_optimal_and_prefix_free(counts: list[int]) -> None:
    weights = np.array([0, *counts], np.int64)  # id 0 has no place in the tree
    order = np.argsort(weights, kind="stable")[1:]
    starts, nodes, codes = huffman_paths(order, weights)
    assert starts[1] == 0
    lengths = np.diff(starts)
    assert int((lengths * weights).sum()) == heap_cost(counts)
    words = {tuple(codes[starts[w] : starts[w + 1]]) for w in range(1, len(weights))}
    assert len(words) == len(counts)
    assert sum(2.0**-length for length in lengths[1:]) == pytest.approx(1.0)
    root = len(counts) - 2
    for word in range(1, len(weights)):
        path = nodes[starts[word] : starts[word + 1]]
        assert path[0] == root
        assert (np.diff(path) < 0).all()  # each node was made before the one above it


def test_huffman_by_hand() -> None:
    """Counts 4, 2, 1, 1: codes of length 1, 2, 3, 3."""
    counts = np.array([4, 2, 1, 1], np.int64)
    starts, _, _ = huffman_paths(np.array([2, 3, 1, 0]), counts)
    assert np.diff(starts).tolist() == [1, 2, 3, 3]


def test_probabilities_along_the_paths_sum_to_one() -> None:
    """P(w) is the product of sigmoids along w's path; all words make 1, whatever the scores."""
    counts = np.arange(1, 30)
    starts, nodes, codes = huffman_paths(np.argsort(counts, kind="stable"), counts)
    chance = 1 / (1 + np.exp(-np.random.default_rng(0).normal(size=len(counts))))
    total = 0.0
    for word in range(len(counts)):
        path = slice(starts[word], starts[word + 1])
        yes = chance[nodes[path]]
        total += np.where(codes[path] == 0, yes, 1 - yes).prod()
    assert total == pytest.approx(1.0)
