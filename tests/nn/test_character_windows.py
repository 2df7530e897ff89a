"""The largest windows against convolutions, with their gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn.character_windows import largest_windows

WIDTHS = {1: 3, 3: 2, 4: 5}  # features of each


def example() -> tuple[Tensor, Tensor, list[Tensor]]:
    torch.manual_seed(0)
    lengths = torch.tensor([9, 2, 5, 5, 1, 0, 8])
    words = torch.randint(1, 50, (7, 9)) * (torch.arange(9) < lengths[:, None])
    vectors = torch.randn(50, 4, dtype=torch.float64)
    weights = [torch.randn(e, 4, w, dtype=torch.float64) for w, e in WIDTHS.items()]
    return words, vectors, weights


def by_convolution(words: Tensor, vectors: Tensor, weights: list[Tensor]) -> Tensor:
    x = F.embedding(words, vectors).masked_fill((words == 0)[..., None], 0).transpose(1, 2)
    maps = [F.conv1d(F.pad(x, (0, weight.shape[2])), weight) for weight in weights]
    return torch.cat([each.amax(2) for each in maps], 1)  # the last window holds nothing: 0


def test_it_is_convolution_and_maximum_with_the_same_gradients() -> None:
    words, vectors, weights = example()
    leaves = [each.requires_grad_() for each in (vectors, *weights)]
    found, wanted = (
        largest_windows(words, vectors, weights),
        by_convolution(words, vectors, weights),
    )
    assert torch.allclose(found, wanted, atol=1e-12)
    assert (wanted == 0).any(), "a word for which the empty window is the largest"
    into = torch.randn_like(wanted)
    ours = torch.autograd.grad((found * into).sum(), leaves)
    theirs = torch.autograd.grad((wanted * into).sum(), leaves)
    for own, their in zip(ours, theirs, strict=True):
        assert torch.allclose(own, their, atol=1e-12)


@pytest.mark.parametrize("extra", [1, 4])
def test_the_width_of_the_batch_makes_no_difference(extra: int) -> None:
    words, vectors, weights = example()
    wider = largest_windows(F.pad(words, (0, extra)), vectors, weights)
    assert torch.equal(wider, largest_windows(words, vectors, weights))


def test_the_order_of_words_makes_no_difference() -> None:
    words, vectors, weights = example()
    order = torch.randperm(len(words))
    assert torch.equal(
        largest_windows(words[order], vectors, weights),
        largest_windows(words, vectors, weights)[order],
    )


def test_weights_in_bfloat16_are_summed_exactly() -> None:
    words, vectors, weights = example()
    half = [each.to(torch.bfloat16) for each in (vectors, *weights)]
    found = largest_windows(words, half[0], half[1:])
    wanted = largest_windows(words, half[0].float(), [each.float() for each in half[1:]])
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, wanted.to(torch.bfloat16))
