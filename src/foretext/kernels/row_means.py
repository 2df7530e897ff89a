"""The mean of some rows of a matrix for each text: what static vectors make of its tokens."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["add_to_rows", "row_means"]


@kernel(_nrt=False)
def row_means(matrix, dim, ids, starts, left_out, means):
    """Write the mean of the rows that each text names.

    matrix: float32, R rows of `dim` numbers laid end to end; ids: (N,), below R; starts: (T + 1,)
    int64, text t has ``ids[starts[t] : starts[t + 1]]``; left_out: an id that counts for nothing,
    or -1; means: float32, T rows laid end to end. A text without rows gets zeros.
    """
    for text in range(starts.size - 1):
        mean = text * dim
        for i in range(dim):
            means[mean + i] = np.float32(0.0)
        count = 0
        for place in range(starts[text], starts[text + 1]):
            row = np.int64(ids[place])
            if row == left_out:
                continue
            count += 1
            row *= dim
            for i in range(dim):
                means[mean + i] += matrix[row + i]
        if count > 1:
            share = np.float32(1.0) / np.float32(count)
            for i in range(dim):
                means[mean + i] *= share


@kernel(_nrt=False)
def add_to_rows(matrix, dim, ids, starts, left_out, means):
    """Add the mean of each text to the rows that it names, as often as it names them.

    This is the transpose of `row_means` as a linear map, except that nothing is divided by the
    number of a text's tokens; the arguments are the same, and `matrix` is written to.
    """
    for text in range(starts.size - 1):
        mean = text * dim
        for place in range(starts[text], starts[text + 1]):
            row = np.int64(ids[place])
            if row == left_out:
                continue
            row *= dim
            for i in range(dim):
                matrix[row + i] += means[mean + i]
