"""GloVe's kernel against a twin in plain numpy, and its gradient against finite differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from foretext.kernels.glove import GROUP, Cells, Parameters, train_tiles
from foretext.kernels.simd import LANES, aligned_zeros, padded

NEVER_MOVES = np.float32(1e38)


class Twin(NamedTuple):
    """The same numbers, as matrices one would write them."""

    vectors: np.ndarray  # (V, D)
    biases: np.ndarray  # (V,)
    squares: np.ndarray  # (V, D + 1), the bias's last


def random_twin(rng: np.random.Generator, vocab_size: int, dim: int) -> Twin:
    return Twin(
        rng.normal(0, 0.3, (vocab_size, dim)).astype(np.float32),
        rng.normal(0, 0.3, vocab_size).astype(np.float32),
        rng.uniform(1, 2, (vocab_size, dim + 1)).astype(np.float32),
    )


def records(twin: Twin, bias: int, constant: int) -> np.ndarray:
    """As the kernel keeps them: (V * 2 * stride,), the bias and a 1 behind the vector."""
    vocab_size, dim = twin.vectors.shape
    flat = aligned_zeros(vocab_size, 2 * padded(dim + 2))
    rows = flat.reshape(vocab_size, 2, -1)
    rows[:, 1] = 1.0
    rows[:, 0, :dim], rows[:, 1, :dim] = twin.vectors, twin.squares[:, :dim]
    rows[:, 0, bias], rows[:, 1, bias] = twin.biases, twin.squares[:, dim]
    rows[:, 0, constant], rows[:, 1, constant] = 1.0, NEVER_MOVES
    return flat


def back(flat: np.ndarray, twin: Twin, bias: int) -> Twin:
    vocab_size, dim = twin.vectors.shape
    rows = flat.reshape(vocab_size, 2, -1)
    squares = np.concatenate([rows[:, 1, :dim], rows[:, 1, bias, None]], axis=1)
    return Twin(rows[:, 0, :dim].copy(), rows[:, 0, bias].copy(), squares)


def one_tile(rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> Cells:
    room = np.zeros(LANES)
    return Cells(
        rows.astype(np.uint16),
        columns.astype(np.uint16),
        np.append(np.log(counts), room).astype(np.float32),
        np.append(np.minimum(counts / 10, 1) ** 0.75, room).astype(np.float32),
        np.array([0, len(rows)]),
    )


def learn(words: Twin, contexts: Twin, cells: Cells, rate: float) -> tuple[Twin, Twin, float]:
    """Run the kernel on one tile."""
    vocab_size, dim = words.vectors.shape
    first, second = records(words, dim, dim + 1), records(contexts, dim + 1, dim)
    blocks = np.array([0, vocab_size])
    losses = np.zeros(1)
    parameters = Parameters(first, second, padded(dim + 2), blocks)
    train_tiles(cells, parameters, np.zeros(1, np.int64), np.float32(rate), losses)
    return back(first, words, dim), back(second, contexts, dim + 1), float(losses[0])


def twin_step(words: Twin, contexts: Twin, group: list[tuple], rate: float) -> float:  # type: ignore[type-arg]
    """AdaGrad on cells of one row at once: (row, column, log X, h(X)) each."""
    row, loss = group[0][0], 0.0
    v, b = words.vectors[row].copy(), words.biases[row]
    row_step, row_square = np.zeros(v.size + 1), words.squares[row].astype(np.float64)
    for _, column, log, weight in group:
        u, c = contexts.vectors[column].copy(), contexts.biases[column]
        error = float(v @ u + b + c - log)
        loss += weight * error**2
        gradient = rate * weight * error * np.append(u, 1.0)
        row_step += gradient
        row_square += gradient**2
        gradient = rate * weight * error * np.append(v, 1.0)
        contexts.squares[column] += gradient**2
        step = gradient / np.sqrt(contexts.squares[column])
        contexts.vectors[column] -= step[:-1]
        contexts.biases[column] -= step[-1]
    words.squares[row] = row_square
    step = row_step / np.sqrt(row_square)
    words.vectors[row] -= step[:-1]
    words.biases[row] -= step[-1]
    return loss


def twin_learn(words: Twin, contexts: Twin, cells: Cells, rate: float) -> float:
    """Groups of four cells of a row, then what is left of the row one by one."""
    size = len(cells.rows)
    listed = list(zip(*(array[:size].tolist() for array in cells[:4]), strict=True))
    loss, k = 0.0, 0
    while k < size:
        four = k + GROUP <= size and listed[k + GROUP - 1][0] == listed[k][0]
        group = listed[k : k + GROUP] if four else listed[k : k + 1]
        loss += twin_step(words, contexts, group, rate)
        k += len(group)
    return loss


@pytest.mark.parametrize("dim", [1, 14, 15, 50])
def test_kernel_equals_its_twin(dim: int) -> None:
    rng = np.random.default_rng(dim)
    chosen = np.flatnonzero(rng.random((12, 12)) < 0.5)
    rows, columns = np.divmod(chosen, 12)
    cells = one_tile(rows, columns, rng.uniform(0.1, 30, len(rows)))
    words, contexts = random_twin(rng, 12, dim), random_twin(rng, 12, dim)
    new_words, new_contexts, loss = learn(words, contexts, cells, 0.5)
    expected_loss = twin_learn(words, contexts, cells, 0.5)
    assert loss == pytest.approx(expected_loss, rel=1e-4)
    for new, expected in zip((*new_words, *new_contexts), (*words, *contexts), strict=True):
        np.testing.assert_allclose(new, expected, rtol=2e-4, atol=2e-5)


def test_worked_example() -> None:
    # v = (1, 2), u = (3, -1), b = 0.5, c = 0.25, X = e, h = (e / 10)**0.75:
    # error = 1 + 0.75 - 1 = 0.75; with rate 0.1 the step in v is 0.1 h error u over its root.
    words = Twin(*(np.array(x, np.float32) for x in ([[1, 2]], [0.5], [[1, 1, 1]])))
    contexts = Twin(*(np.array(x, np.float32) for x in ([[3, -1]], [0.25], [[1, 1, 1]])))
    cells = one_tile(np.zeros(1), np.zeros(1), np.array([np.e]))
    new_words, new_contexts, loss = learn(words, contexts, cells, 0.1)
    weight = (np.e / 10) ** 0.75
    assert loss == pytest.approx(weight * 0.75**2, rel=1e-5)
    gradient = 0.1 * weight * 0.75 * np.array([3, -1, 1])
    step = gradient / np.sqrt(1 + gradient**2)
    np.testing.assert_allclose(new_words.vectors[0], [1 - step[0], 2 - step[1]], rtol=1e-6)
    np.testing.assert_allclose(new_words.biases[0], 0.5 - step[2], rtol=1e-6)
    np.testing.assert_allclose(new_words.squares[0], 1 + gradient**2, rtol=1e-6)
    gradient = 0.1 * weight * 0.75 * np.array([1, 2, 1])
    step = gradient / np.sqrt(1 + gradient**2)
    np.testing.assert_allclose(new_contexts.vectors[0], [3 - step[0], -1 - step[1]], rtol=1e-6)
    np.testing.assert_allclose(new_contexts.biases[0], 0.25 - step[2], rtol=1e-6)


def test_a_small_step_follows_the_gradient_of_the_loss() -> None:
    rng = np.random.default_rng(5)
    words, contexts = random_twin(rng, 3, 4), random_twin(rng, 3, 4)
    words.squares[...] = contexts.squares[...] = 1.0
    cells = one_tile(np.array([1]), np.array([2]), np.array([7.0]))
    new_words, new_contexts, _ = learn(words, contexts, cells, 1e-3)
    weight, log = float(cells.weights[0]), float(cells.logs[0])

    def half_loss(numbers: np.ndarray) -> float:
        v, u, b, c = numbers[:4], numbers[4:8], numbers[8], numbers[9]
        return float(weight * (v @ u + b + c - log) ** 2 / 2)

    def numbers(word: Twin, context: Twin) -> np.ndarray:
        biases = [word.biases[1], context.biases[2]]
        return np.concatenate([word.vectors[1], context.vectors[2], biases]).astype(np.float64)

    at = numbers(words, contexts)
    nudges = np.eye(10) * 1e-5
    gradient = [(half_loss(at + n) - half_loss(at - n)) / 2e-5 for n in nudges]
    moved = (at - numbers(new_words, new_contexts)) / 1e-3
    np.testing.assert_allclose(moved, gradient, rtol=1e-2, atol=1e-3)


def test_no_gradient_blows_up() -> None:
    rng = np.random.default_rng(0)
    words, contexts = random_twin(rng, 4, 20), random_twin(rng, 4, 20)
    rows, columns = np.divmod(np.arange(16), 4)
    cells = one_tile(rows, columns, np.full(16, 1e6))
    for _ in range(50):
        words, contexts, loss = learn(words, contexts, cells, 1000.0)
    assert np.isfinite(loss)
    assert np.isfinite(words.vectors).all()


def test_what_is_not_in_a_tile_stays_as_it_was() -> None:
    rng = np.random.default_rng(1)
    words, contexts = random_twin(rng, 6, 20), random_twin(rng, 6, 20)
    cells = one_tile(np.array([2, 2, 4]), np.array([1, 5, 1]), np.array([1.0, 2.0, 3.0]))
    new_words, new_contexts, _ = learn(words, contexts, cells, 0.1)
    moved = [np.flatnonzero((a.vectors != b.vectors).any(axis=1)).tolist()
             for a, b in ((words, new_words), (contexts, new_contexts))]  # fmt: skip
    assert moved == [[2, 4], [1, 5]]
