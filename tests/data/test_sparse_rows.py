"""Rows of mostly zeros, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix, random_array

from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.sparse_rows import SparseRows


@pytest.fixture
def matrix() -> csr_matrix:
    rng = np.random.default_rng(0)
    drawn = random_array((7, 11), density=0.3, format="lil", dtype=np.float32, rng=rng)
    drawn[3] = 0  # a text without known words
    return csr_matrix(drawn)


@pytest.fixture
def rows(matrix: csr_matrix) -> SparseRows:
    return SparseRows(matrix.indices, matrix.data, matrix.indptr.astype(np.int64))


def dense(columns: np.ndarray, values: np.ndarray, width: int) -> np.ndarray:
    whole = np.zeros((len(columns), width), np.float32)
    for row, (places, numbers) in enumerate(zip(columns, values, strict=True)):
        np.add.at(whole[row], places, numbers)
    return whole


@pytest.mark.parametrize("taken", [[0], [3], [6, 3, 0, 0], [], list(range(7))])
def test_rows_are_those_of_the_matrix(
    rows: SparseRows, matrix: csr_matrix, taken: list[int]
) -> None:
    places = np.array(taken, np.int64)
    some = rows.taken(places)
    assert len(rows) == 7
    assert len(some) == len(taken)
    np.testing.assert_array_equal(some.columns, matrix[places].indices)
    np.testing.assert_array_equal(some.values, matrix[places].data)
    columns, values = rows.filled(places)
    assert columns.shape == values.shape
    assert columns.shape[1] >= 1
    np.testing.assert_array_equal(dense(columns, values, 11), matrix[places].toarray())


def test_a_batch_has_the_words_of_its_rows(rows: SparseRows, matrix: csr_matrix) -> None:
    ids = Ragged([[1] * (length + 1) for length in range(7)])
    examples = PaddedExamples(ids, {}, pad=0, visibility="full", words=rows)
    batch = examples.batch(np.array([5, 3, 1]))
    for some, places in ((batch, [5, 3, 1]), (batch.rows(1, 3), [3, 1])):
        columns, values = some.inputs.word_columns, some.inputs.word_values
        assert columns is not None
        assert values is not None
        found = dense(columns.numpy(), values.numpy(), 11)
        np.testing.assert_array_equal(found, matrix[places].toarray())
    assert batch.inputs.word_logits is None


def test_logits_that_are_known_go_with_their_rows() -> None:
    logits = np.arange(12, dtype=np.float32).reshape(4, 3)
    ids = Ragged([[1, 2], [1], [1, 2, 3], [4]])
    examples = PaddedExamples(ids, {}, pad=0, visibility="full", word_logits=logits)
    inputs = examples.batch(np.array([2, 0, 3])).inputs
    assert inputs.word_logits is not None
    np.testing.assert_array_equal(inputs.word_logits.numpy(), logits[[2, 0, 3]])
    last = inputs.rows(1, 3).word_logits
    assert last is not None
    np.testing.assert_array_equal(last.numpy(), logits[[0, 3]])
    every = inputs.every(0, 2).to(torch.device("cpu")).word_logits
    assert every is not None
    np.testing.assert_array_equal(every.numpy(), logits[[2, 3]])
