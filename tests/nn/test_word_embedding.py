"""What stands for a word before anything reads it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.nn.word_embedding import Bigrams, WordEmbedding


def test_vectors_may_be_mapped_and_read_only() -> None:
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    vectors.flags.writeable = False
    embedding = WordEmbedding(WordEmbedding.Config(vector_size=2), 3)
    embedding.load_vectors(vectors)
    assert torch.equal(embedding.vectors.weight, torch.tensor(vectors))


def bigrams(num_rows: int = 1 << 12) -> Bigrams:
    torch.manual_seed(3)
    return Bigrams(num_rows, 4)


def test_a_pair_has_one_vector_wherever_it_stands() -> None:
    found = bigrams()(torch.tensor([[5, 6, 7, 5, 6], [5, 7, 6, 7, 7]]), None)
    assert torch.equal(found[0, 0], found[0, 3])
    assert torch.equal(found[0, 1], found[1, 2])


def test_order_counts() -> None:
    found = bigrams()(torch.tensor([[5, 6, 5]]), None)
    assert not torch.equal(found[0, 0], found[0, 1])


def test_padding_does_not_follow_the_last_word() -> None:
    table, mask = bigrams(), torch.tensor([[True, True, False]])
    assert torch.equal(
        table(torch.tensor([[5, 6, 0]]), mask)[:, :2], table(torch.tensor([[5, 6]]), None)
    )


@pytest.mark.parametrize(("side", "first"), [(64, 0), (64, 1000), (256, 50)])
def test_pairs_are_spread_over_the_rows(side: int, first: int) -> None:
    """As evenly as drawn ones: 1 - 1/e of the rows have one of as many pairs."""
    table = Bigrams(side**2, 1)
    table.vectors.weight.data = torch.arange(side**2, dtype=torch.float64)[:, None]
    pairs = torch.cartesian_prod(torch.arange(side) + first, torch.arange(side))
    share = len(torch.unique(table(pairs, None)[:, 0])) / side**2
    assert 0.6 < share < 0.7
