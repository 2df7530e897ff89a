"""Huffman's tree over word counts, as paths from the root (Mikolov et al. 2013, section 2.1)."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["huffman_paths"]


@kernel()
def huffman_paths(order, counts, leaf_first=True):
    """Return (path_starts, path_nodes, path_codes): the inner nodes above each word, root first.

    order: (W,) the words with a place in the tree, rarest first; counts: (V,) int64; leaf_first:
    of a word and an inner node of equal count, the word is joined first.
    path_starts: (V + 1,) int64; inner nodes are numbered 0 to W - 2, the root last. A word outside
    `order` has an empty path. Two queues, one of leaves and one of inner nodes, are both in order
    of their weight, so that no heap is needed (van Leeuwen 1976).
    """
    num_leaves = order.size
    weights = np.zeros(2 * num_leaves - 1, np.int64)
    parents = np.zeros(2 * num_leaves - 1, np.int64)
    codes = np.zeros(2 * num_leaves - 1, np.uint8)
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

    root = 2 * num_leaves - 2
    path_starts = np.zeros(counts.size + 1, np.int64)
    for leaf in range(num_leaves):
        node = leaf
        while node != root:
            path_starts[order[leaf] + 1] += 1
            node = parents[node]
    for word in range(counts.size):
        path_starts[word + 1] += path_starts[word]
    path_nodes = np.zeros(path_starts[-1], np.int32)
    path_codes = np.zeros(path_starts[-1], np.uint8)
    for leaf in range(num_leaves):
        node = leaf
        for at in range(path_starts[order[leaf] + 1] - 1, path_starts[order[leaf]] - 1, -1):
            path_codes[at] = codes[node]
            node = parents[node]
            path_nodes[at] = node - num_leaves
    return path_starts, path_nodes, path_codes
