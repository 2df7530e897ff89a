"""Vectors of words by id beside states: none for words that no vocabulary has."""

from __future__ import annotations

import torch

from foretext.nn.word_vectors import FixedWordVectors


def test_vectors_stand_before_the_states() -> None:
    table = FixedWordVectors(
        torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]), torch.tensor([0, 1, 2, 1])
    )
    ids = torch.tensor([[1, 2, 0, 9]])  # 0 has no vector, 9 no place in the vocabulary
    states = torch.arange(4.0).view(1, 4, 1)
    expected = [[1.0, 2.0, 0.0], [3.0, 4.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0]]
    assert table.beside(states, ids).tolist() == [expected]
    assert table.knows(ids).tolist() == [[True, True, False, False]]
    assert table.dim == 2
    assert table(torch.tensor([3, 1])).tolist() == [[1.0, 2.0]] * 2  # they share one
    assert table.beside(states[:, :1], ids).tolist() == [expected[:1]]
    assert not list(filter(lambda each: each.requires_grad, table.parameters()))


def test_states_keep_their_numbers() -> None:
    table = FixedWordVectors(torch.ones(2, 3), torch.tensor([0, 1]))
    states = torch.zeros(1, 2, 4, dtype=torch.bfloat16)
    assert table.beside(states, torch.tensor([[0, 1]])).dtype == torch.bfloat16


def test_a_row_that_is_not_there_is_found() -> None:
    for row, is_whole in ((1, True), (2, False), (-1, False)):
        table = FixedWordVectors(torch.zeros(2, 3), torch.tensor([0, row]))
        assert table.is_whole is is_whole
