"""Products of integers come near those of float32, row by row."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.nn.quantized_linear import PackedLinear, QuantizedLinear, check_int8, quantized

pytestmark = pytest.mark.skipif(
    not torch.cpu._is_vnni_supported(), reason="the processor has no products of integers"
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("shape", [(1, 48), (4, 3, 48), (130, 48), (0, 48)])
@torch.inference_mode()
def test_it_is_nearly_a_linear_map(
    dtype: torch.dtype, with_bias: bool, shape: tuple[int, ...]
) -> None:
    torch.manual_seed(0)
    weight, x = torch.randn(80, 48).to(dtype), torch.randn(shape).to(dtype)
    bias = torch.randn(80).to(dtype) if with_bias else None
    found, expected = QuantizedLinear(weight, bias)(x), F.linear(x, weight, bias)
    assert found.shape == (*shape[:-1], 80)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), expected.float(), atol=0.35, rtol=0)


@torch.inference_mode()
def test_a_row_has_a_scale_of_its_own() -> None:
    """Beside a row of large numbers a small one keeps its digits."""
    torch.manual_seed(0)
    weight, x = torch.randn(16, 32), torch.randn(2, 32)
    layer = QuantizedLinear(weight, None)
    small = layer(torch.stack([x[0] * 1e4, x[1]]))[1]
    torch.testing.assert_close(small, layer(x[1:])[0], atol=0, rtol=0)


@torch.inference_mode()
def test_zeros_give_the_bias() -> None:
    bias = torch.randn(16)
    found = QuantizedLinear(torch.randn(16, 32), bias)(torch.zeros(3, 32))
    np.testing.assert_array_equal(found, bias.expand(3, 16))


@torch.inference_mode()
def test_rows_need_not_stand_together() -> None:
    torch.manual_seed(0)
    layer, x = QuantizedLinear(torch.randn(16, 32), None), torch.randn(32, 5)
    torch.testing.assert_close(layer(x.T), layer(x.T.contiguous()), atol=0, rtol=0)


def test_maps_of_odd_widths_are_packed() -> None:
    layers = quantized(nn.Sequential(nn.Linear(32, 48), nn.Linear(48, 3), nn.Linear(3, 16)))
    assert [*map(type, layers)] == [QuantizedLinear, PackedLinear, PackedLinear]


@torch.inference_mode()
def test_a_network_comes_near_and_stays_as_it_is() -> None:
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=2, dim=32, num_heads=2, init_std=0.3)
    network = Transformer(shape, 50).eval()
    inputs = Inputs(torch.randint(50, (3, 7)))
    before = network(inputs).last
    cosines = torch.cosine_similarity(quantized(network)(inputs).last, before, dim=-1)
    assert 0.99 < cosines.min() < 1 - 1e-6
    torch.testing.assert_close(network(inputs).last, before, atol=0, rtol=0)


def test_another_device_is_refused() -> None:
    with pytest.raises(SettingError, match="precision = 'int8' needs a processor"):
        check_int8(torch.device("cuda"))


@torch.inference_mode()
def test_some_outputs_are_those_of_the_whole() -> None:
    torch.manual_seed(0)
    layer, x = QuantizedLinear(torch.randn(48, 16), torch.randn(48)), torch.randn(7, 16)
    for outputs in (slice(16), slice(16, None)):
        torch.testing.assert_close(layer.part(x, outputs), layer(x)[:, outputs])
