"""The alignment of two texts against sums in numpy, word by word."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from foretext.nn.other_text import OtherText, looks_across, weighted_mean

E = 6
KINDS = torch.tensor([[0, 0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]])
LENGTHS = (6, 4, 3)  # real words of each row; the third has one text alone
REAL = torch.arange(7) < torch.tensor(LENGTHS)[:, None]


def drawn() -> tuple[OtherText, Tensor]:
    torch.manual_seed(0)
    return OtherText(E), torch.randn(3, 7, E)


def by_words(module: OtherText, x: np.ndarray, kinds: list[int]) -> np.ndarray:
    """(T, E) of the words of one row: softmax over the other text's of α(x_i) · α(x_j) / √E."""
    weight, bias = (each.detach().numpy() for each in module.key.parameters())
    keys = np.maximum(x @ weight.T + bias, 0)
    means = np.zeros_like(x)
    for i, kind in enumerate(kinds):
        others = [j for j, other in enumerate(kinds) if other != kind]
        if others:
            scores = np.exp([keys[i] @ keys[j] / E**0.5 for j in others])
            means[i] = scores @ x[others] / scores.sum()
    return means


def test_equal_to_sums_by_words() -> None:
    module, x = drawn()
    found = module(x, looks_across(KINDS == 1, REAL)).detach()
    for row, length in enumerate(LENGTHS):
        expected = by_words(module, x[row, :length].numpy(), KINDS[row, :length].tolist())
        np.testing.assert_allclose(found[row, :length], expected, atol=1e-6)
    assert not found[2].any()


def test_gradients_are_right() -> None:
    module, x = drawn()
    across = looks_across(KINDS == 1, REAL)
    given = x.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda each: module.double()(each, across)[REAL], (given,))


def test_without_padding_all_words_of_the_other_text_are_looked_at() -> None:
    across = looks_across(KINDS[:1] == 1, None)
    assert across[0].sum(1).tolist() == [4, 4, 3, 3, 3, 3, 4]


def test_a_mean_of_nothing_is_zero_and_has_no_gradient() -> None:
    x = torch.ones(1, 3, 2, requires_grad=True)
    mean = weighted_mean(x, torch.zeros(1, 1, 3), torch.zeros(1, 1, 3, dtype=torch.bool))
    assert not mean.any()
    mean.sum().backward()
    assert x.grad is not None
    assert not x.grad.any()
