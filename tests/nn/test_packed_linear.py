"""Packed maps are the library's, for any number of rows."""

from __future__ import annotations

import dataclasses

import pytest
import torch
import torch.nn.functional as F

from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.nn.quantized_linear import PackedLinear, packed


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("shape", [(1, 40), (4, 3, 40), (130, 40), (0, 40)])
@torch.inference_mode()
def test_it_is_a_linear_map(dtype: torch.dtype, with_bias: bool, shape: tuple[int, ...]) -> None:
    if dtype == torch.bfloat16 and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("oneDNN packs no bfloat16 on this processor")
    torch.manual_seed(0)
    weight, x = torch.randn(70, 40).to(dtype), torch.randn(shape).to(dtype)
    bias = torch.randn(70).to(dtype) if with_bias else None
    found, expected = PackedLinear(weight, bias)(x), F.linear(x, weight, bias)
    torch.testing.assert_close(found, expected)
    assert found.shape == (*shape[:-1], 70)


@torch.inference_mode()
def test_rows_need_not_stand_together() -> None:
    weight, x = torch.randn(6, 5), torch.randn(5, 9).T
    torch.testing.assert_close(PackedLinear(weight, None)(x), F.linear(x, weight))


@torch.inference_mode()
def test_a_network_computes_the_same_and_stays_as_it_is() -> None:
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=2, dim=16, num_heads=2, share_layers=True)
    network = Transformer(shape, 50).eval()
    maps = sum(isinstance(module, torch.nn.Linear) for module in network.modules())
    inputs = Inputs(torch.randint(50, (3, 7)))
    fast = packed(network)
    torch.testing.assert_close(fast(inputs).last, network(inputs).last, atol=1e-5, rtol=1e-5)
    assert not any(isinstance(module, torch.nn.Linear) for module in fast.modules())
    assert sum(isinstance(module, torch.nn.Linear) for module in network.modules()) == maps
    assert fast.embedding is network.embedding


@torch.inference_mode()
def test_some_outputs_are_those_of_the_whole() -> None:
    torch.manual_seed(0)
    layer, x = PackedLinear(torch.randn(48, 16), torch.randn(48)), torch.randn(7, 16)
    for outputs in (slice(16), slice(16, None)):
        torch.testing.assert_close(layer.part(x, outputs), layer(x)[:, outputs])


@torch.inference_mode()
def test_the_first_position_alone_is_the_same() -> None:
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=2, dim=32, num_heads=2)
    network = Transformer(shape, 50).eval()
    inputs = Inputs(torch.randint(50, (3, 7)))
    expected = network(inputs).last[:, :1]
    first = dataclasses.replace(inputs, needed="first")
    torch.testing.assert_close(packed(network)(first).last, expected, atol=1e-5, rtol=1e-5)
