"""GloVe's descent over tiles of the co-occurrence matrix (Pennington et al. 2014, equation 8).

The loss of a cell is h(X) (v . u + b + c - log X)**2 / 2, and AdaGrad (Duchi et al. 2011) divides
each step, a gradient times the rate, by the root of the sum of squares of the steps so far, itself
among them: no number moves by more than 1 (by 2 where four cells move it at once). As in the
authors' program the sums begin at 1.

A row of `words` or `contexts` is a record of 2 D floats: the vector, then its sums of squares. The
biases are part of the vectors: behind its `dim` numbers a word has its bias and a 1, a context a 1
and its bias, so that the dot product has both in it. The sum of squares under a 1 is so large that
it never moves.

Four cells of a row are learned at once, all four from the row as it was before them: the row is
read, rooted and written once for four, and the four dot products are added up together.

D floats (`stride`, whole registers); a tile's cells are in the order of their rows.

The co-occurrence matrix cut into tiles: blocks of rows by blocks of columns. Word i belongs to
block ``i % blocks`` and is number ``i // blocks`` there, so that each block has its share of
frequent words and all tiles are about as full. Cells keep the order of rows and columns within
their tile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import high32, random64
from foretext.kernels.simd import (
    LANES,
    fma,
    inverse_root,
    load,
    splat,
    store,
    transposed_sum,
    zeros,
)

__all__ = ["CELL_TYPES", "GROUP", "Cells", "Parameters", "size_tiles", "take_cells", "train_tiles"]

GROUP = 4  # cells of a row that are learned at once

CELL_TYPES = {"rows": "u2", "columns": "u2", "logs": "f4", "weights": "f4"}  # of `Cells`


class Cells(NamedTuple):
    """The cells of all tiles, end to end; in each tile row by row."""

    rows: np.ndarray  # (N,) uint16, within the tile's block of rows
    columns: np.ndarray  # (N,) uint16, within the tile's block of columns
    logs: np.ndarray  # (N + 16,) float32, log X
    weights: np.ndarray  # (N + 16,) float32, h(X)
    tile_starts: np.ndarray  # (tiles + 1,) int64; tile (a, b) has the number a * blocks + b


class Parameters(NamedTuple):
    """What is learned."""

    words: np.ndarray  # (V * 2 * D,) float32
    contexts: np.ndarray  # (V * 2 * D,) float32
    stride: int  # D
    block_starts: np.ndarray  # (blocks + 1,) int64, the records of each block of words


@kernel(inline="always")
def score(words, row, contexts, column, stride):
    """Add up the products of two vectors, lane by lane."""
    total = zeros()
    for d in range(0, stride, LANES):
        total = fma(load(words, row + d), load(contexts, column + d), total)
    return total


@kernel(inline="always")
def score_four(words, row, contexts, c0, c1, c2, c3, stride):
    """The dot products of a word with four contexts, in the first four lanes."""
    s0 = s1 = s2 = s3 = zeros()
    for d in range(0, stride, LANES):
        w = load(words, row + d)
        s0 = fma(w, load(contexts, c0 + d), s0)
        s1 = fma(w, load(contexts, c1 + d), s1)
        s2 = fma(w, load(contexts, c2 + d), s2)
        s3 = fma(w, load(contexts, c3 + d), s3)
    return transposed_sum((s0, s1, s2, s3))


@kernel(inline="always")
def step_context(contexts, at, squares, gradient):
    """One AdaGrad step of sixteen numbers of a context."""
    square = fma(gradient, gradient, load(contexts, squares))
    store(contexts, at, load(contexts, at) - gradient * inverse_root(square))
    store(contexts, squares, square)


@kernel(inline="always")
def update_four(words, row, contexts, c0, c1, c2, c3, stride, steps):
    """Move a word and four contexts, each by gradients at the old values of the other side."""
    g0 = splat(steps[0])
    g1 = splat(steps[1])
    g2 = splat(steps[2])
    g3 = splat(steps[3])
    for d in range(0, stride, LANES):
        w = load(words, row + d)
        square = load(words, row + stride + d)
        gradient = g0 * load(contexts, c0 + d)
        total = gradient
        square = fma(gradient, gradient, square)
        step_context(contexts, c0 + d, c0 + stride + d, g0 * w)
        gradient = g1 * load(contexts, c1 + d)
        total = total + gradient
        square = fma(gradient, gradient, square)
        step_context(contexts, c1 + d, c1 + stride + d, g1 * w)
        gradient = g2 * load(contexts, c2 + d)
        total = total + gradient
        square = fma(gradient, gradient, square)
        step_context(contexts, c2 + d, c2 + stride + d, g2 * w)
        gradient = g3 * load(contexts, c3 + d)
        total = total + gradient
        square = fma(gradient, gradient, square)
        step_context(contexts, c3 + d, c3 + stride + d, g3 * w)
        store(words, row + d, w - total * inverse_root(square))
        store(words, row + stride + d, square)


@kernel(inline="always")
def update_one(words, row, contexts, column, stride, step):
    """Move a word and a context, each by the gradient at the old value of the other."""
    g = splat(step)
    for d in range(0, stride, LANES):
        w = load(words, row + d)
        gradient = g * load(contexts, column + d)
        square = fma(gradient, gradient, load(words, row + stride + d))
        step_context(contexts, column + d, column + stride + d, g * w)
        store(words, row + d, w - gradient * inverse_root(square))
        store(words, row + stride + d, square)


@kernel()
def train_tile(cells, first, last, parameters, row_block, column_block, rate, scratch):
    """Learn a tile's cells, in place; returns the sum of their losses before they were learned."""
    words, contexts, stride, _ = parameters
    record = 2 * stride
    row_base = parameters.block_starts[row_block] * record
    column_base = parameters.block_starts[column_block] * record
    loss = np.float32(0.0)
    k = first
    while k < last:
        row_number = cells.rows[k]
        row = row_base + np.int64(row_number) * record
        if k + GROUP <= last and cells.rows[k + GROUP - 1] == row_number:
            c0 = column_base + np.int64(cells.columns[k]) * record
            c1 = column_base + np.int64(cells.columns[k + 1]) * record
            c2 = column_base + np.int64(cells.columns[k + 2]) * record
            c3 = column_base + np.int64(cells.columns[k + 3]) * record
            error = score_four(words, row, contexts, c0, c1, c2, c3, stride) - load(cells.logs, k)
            weighted = error * load(cells.weights, k)
            store(scratch, LANES, weighted * error)
            store(scratch, 0, weighted * splat(rate))
            loss += (scratch[16] + scratch[17]) + (scratch[18] + scratch[19])
            update_four(words, row, contexts, c0, c1, c2, c3, stride, scratch)
            k += GROUP
        else:
            column = column_base + np.int64(cells.columns[k]) * record
            total = score(words, row, contexts, column, stride)
            store(scratch, 0, transposed_sum((total,)))
            error_one = scratch[0] - cells.logs[k]
            weighted_one = error_one * cells.weights[k]
            loss += weighted_one * error_one
            update_one(words, row, contexts, column, stride, weighted_one * rate)
            k += 1
    return loss


@kernel()
def train_tiles(cells, parameters, tiles, rate, losses):
    """Learn tiles one after another, the sum of each one's weighted squared errors to `losses`.

    tiles: numbers of tiles; losses: (tiles of the whole matrix,) float64.
    """
    blocks = parameters.block_starts.size - 1
    scratch = np.zeros(2 * LANES, np.float32)
    for tile in tiles:
        losses[tile] = train_tile(
            cells,
            cells.tile_starts[tile],
            cells.tile_starts[tile + 1],
            parameters,
            tile // blocks,
            tile % blocks,
            rate,
            scratch,
        )


@kernel(inline="always")
def _held_out(row, column, seed, threshold):
    """Whether a cell is never trained on, and its mirror image neither.

    threshold: uint64, the share of cells in 1 / 2**32.
    """
    low = np.uint64(min(row, column))
    high = np.uint64(max(row, column))
    bits = random64(random64((high << np.uint64(32)) | low) + np.uint64(seed))
    return high32(bits) < threshold


@kernel()
def size_tiles(row_starts, columns, blocks, seed, threshold):
    """How many cells each tile has, (blocks * blocks,) int64, and how many are held out."""
    sizes = np.zeros(blocks * blocks, np.int64)
    num_held_out = 0
    for row in range(row_starts.size - 1):
        base = row % blocks * blocks
        for k in range(row_starts[row], row_starts[row + 1]):
            column = np.int64(columns[k])
            if _held_out(row, column, seed, threshold):
                num_held_out += 1
            else:
                sizes[base + column % blocks] += 1
    return sizes, num_held_out


@kernel()
def take_cells(row_starts, columns, counts, blocks, seed, threshold, x_max, exponent, cells, held):
    """Write each cell to its place in `cells` (their `Cells`) or, if held out, to `held`.

    held: (held-out cells,) arrays of rows, columns, logs and weights.
    """
    cursors = cells.tile_starts[:-1].copy()
    held_rows, held_columns, held_logs, held_weights = held
    num_held_out = 0
    for row in range(row_starts.size - 1):
        base = row % blocks * blocks
        for k in range(row_starts[row], row_starts[row + 1]):
            column = np.int64(columns[k])
            count = np.float64(counts[k])
            log = np.float32(math.log(count))
            weight = np.float32(1.0 if count >= x_max else (count / x_max) ** exponent)
            if _held_out(row, column, seed, threshold):
                held_rows[num_held_out] = row
                held_columns[num_held_out] = column
                held_logs[num_held_out] = log
                held_weights[num_held_out] = weight
                num_held_out += 1
            else:
                at = cursors[base + column % blocks]
                cells.rows[at] = row // blocks
                cells.columns[at] = column // blocks
                cells.logs[at] = log
                cells.weights[at] = weight
                cursors[base + column % blocks] = at + 1
