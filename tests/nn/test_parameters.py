"""A parameter of two networks is one."""

from __future__ import annotations

import pytest
from torch import nn

from foretext.nn.parameters import share_parameter


def test_it_stands_wherever_the_own_one_stood() -> None:
    other = nn.Embedding(4, 3)
    network = nn.ModuleDict({"table": nn.Embedding(4, 3), "map": nn.Linear(3, 4)})
    table, layer = network["table"], network["map"]
    layer.weight = table.weight  # tied
    bias = layer.bias
    share_parameter(network, table.weight, other.weight)
    assert table.weight is layer.weight is other.weight
    assert layer.bias is bias


def test_another_shape_is_none() -> None:
    network = nn.Linear(3, 4)
    with pytest.raises(AssertionError, match=r"\(4, 3\) cannot be \(4, 2\)"):
        share_parameter(network, network.weight, nn.Linear(2, 4).weight)
