"""Highway layers against their formula."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from foretext.nn.highway import Highway


def test_it_is_the_formula() -> None:
    torch.manual_seed(0)
    layer = Highway(3)
    x = torch.randn(5, 3)
    made, gate = layer.linear.weight.chunk(2)
    made_bias, gate_bias = layer.linear.bias.chunk(2)
    t = torch.sigmoid(x @ gate.T + gate_bias)
    wanted = t * F.relu(x @ made.T + made_bias) + (1 - t) * x
    assert torch.allclose(layer(x), wanted, atol=1e-6)


def test_it_passes_most_of_its_input_on_at_first() -> None:
    """With a weight of zero the gate is sigmoid(-2) = 0.1192."""
    layer = Highway(2)
    with torch.no_grad():
        layer.linear.weight.zero_()
    x = torch.tensor([[1.0, -1.0]])
    assert torch.allclose(layer(x), (1 - 0.1192) * x, atol=1e-4)
