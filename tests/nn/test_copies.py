"""Copies of a network live as long as its weights stay what they are."""

from __future__ import annotations

import torch
from torch import nn

from foretext.nn.quantized_linear import Copies


class Named(nn.Linear):
    """A map with something beside its weights."""

    def __init__(self) -> None:
        super().__init__(3, 3)
        self.words = ["a", "b"]


def test_weights_in_their_own_numbers_are_the_network_itself() -> None:
    network = Named().train()
    assert Copies(network).in_dtype(torch.float32) is network
    assert not network.training


def test_a_copy_is_made_once_and_asks_for_no_gradient() -> None:
    network = Named()
    copies = Copies(network)
    half = copies.in_dtype(torch.bfloat16)
    assert copies.in_dtype(torch.bfloat16) is half
    assert half.weight.dtype == torch.bfloat16
    assert not half.weight.requires_grad
    assert network.weight.dtype == torch.float32
    assert network.weight.requires_grad
    torch.testing.assert_close(half.weight.float(), network.weight.detach(), atol=0, rtol=1e-2)


def test_moved_weights_make_a_new_copy() -> None:
    network = Named()
    copies = Copies(network)
    half = copies.in_dtype(torch.bfloat16)
    with torch.no_grad():
        network.weight.add_(1.0)
    moved = copies.in_dtype(torch.bfloat16)
    assert moved is not half
    torch.testing.assert_close(moved.weight, network.weight.detach().to(torch.bfloat16))
    network.weight = nn.Parameter(torch.zeros(3, 3))
    assert not copies.in_dtype(torch.bfloat16).weight.any()


def test_what_is_shared_is_not_copied() -> None:
    network = Named()
    assert Copies(network, (network.words,)).in_dtype(torch.float64).words is network.words
    assert Copies(network).in_dtype(torch.float64).words is not network.words


def test_anything_can_be_made_of_the_weights() -> None:
    network, calls = Named(), []
    copies = Copies(network)

    def make() -> float:
        calls.append(1)
        return float(network.bias.detach().sum())

    assert copies.made("sum", make) == copies.made("sum", make)
    assert len(calls) == 1
    with torch.no_grad():
        network.bias.fill_(2.0)
    assert copies.made("sum", make) == 6.0
