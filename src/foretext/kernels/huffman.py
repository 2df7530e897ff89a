"""Huffman's tree over word counts, as paths from the root (Mikolov et al. 2013, section 2.1)."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["huffman_paths"]


def huffman_paths(
    order: np.ndarray, counts: np.ndarray, leaf_first: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (path_starts, path_nodes, path_codes): the inner nodes above each word, root first.

    order: (W,) the words with a place in the tree, rarest first; counts: (V,) int64; leaf_first:
    of a word and an inner node of equal count, the word is joined first.
    path_starts: (V + 1,) int64; inner nodes are numbered 0 to W - 2, the root last. A word outside
    `order` has an empty path.
    """
    num_nodes = 2 * order.size - 1
    parents, codes = np.zeros(num_nodes, np.int64), np.zeros(num_nodes, np.uint8)
    join_rarest(order, counts, leaf_first, np.zeros(num_nodes, np.int64), parents, codes)
    path_starts = np.zeros(counts.size + 1, np.int64)
    count_nodes(order, parents, path_starts)
    path_nodes = np.zeros(path_starts[-1], np.int32)
    path_codes = np.zeros(path_starts[-1], np.uint8)
    write_paths(order, parents, codes, path_starts, path_nodes, path_codes)
    return path_starts, path_nodes, path_codes


@kernel(kept=True)
def join_rarest(order, counts, leaf_first, weights, parents, codes):
    """Join the two rarest nodes again and again; the last node is the root.

    Two queues, one of leaves and one of inner nodes, are both in order of their weight, so that no
    heap is needed (van Leeuwen 1976). weights, parents, codes: (2 W - 1,) zeros, of all nodes.
    """
    num_leaves = order.size
    for leaf in range(num_leaves):
        weights[leaf] = counts[order[leaf]]
    leaf = 0
    inner = num_leaves
    for node in range(num_leaves, 2 * num_leaves - 1):
        for code in range(2):
            lighter = inner == node or weights[leaf] < weights[inner] + leaf_first
            if leaf < num_leaves and lighter:
                child = leaf
                leaf += 1
            else:
                child = inner
                inner += 1
            weights[node] += weights[child]
            parents[child] = node
            codes[child] = code


@kernel(kept=True)
def count_nodes(order, parents, path_starts):
    """Write where the path of each word begins: (V + 1,), zeros before."""
    root = 2 * order.size - 2
    for leaf in range(order.size):
        node = leaf
        while node != root:
            path_starts[order[leaf] + 1] += 1
            node = parents[node]
    for word in range(path_starts.size - 1):
        path_starts[word + 1] += path_starts[word]


@kernel(kept=True)
def write_paths(order, parents, codes, path_starts, path_nodes, path_codes):
    """Write the inner nodes above each word, and which of its two sides it is on."""
    num_leaves = order.size
    for leaf in range(num_leaves):
        node = leaf
        for at in range(path_starts[order[leaf] + 1] - 1, path_starts[order[leaf]] - 1, -1):
            path_codes[at] = codes[node]
            node = parents[node]
            path_nodes[at] = node - num_leaves
