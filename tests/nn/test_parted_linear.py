"""Some outputs of a linear map are those of the whole, and are laid out once."""

from __future__ import annotations

import pytest
import torch

from foretext.nn.parted_linear import PartedLinear
from foretext.nn.quantized_linear import PackedLinear, RowLinear


@pytest.mark.parametrize("with_bias", [True, False])
def test_outputs_of_each_kind(with_bias: bool) -> None:
    torch.manual_seed(0)
    trained = PartedLinear(16, 48, bias=with_bias)
    bias = trained.bias if with_bias else None
    x = torch.randn(2, 5, 16)
    with torch.no_grad():
        whole = trained(x)
        for layer in (trained, PackedLinear(trained.weight, bias), RowLinear(trained.weight, bias)):
            for outputs in (slice(16), slice(16, None)):
                found = layer.part(x, outputs)
                torch.testing.assert_close(found, whole[..., outputs], atol=1e-5, rtol=1e-5)


def test_a_part_has_gradients() -> None:
    layer, x = PartedLinear(4, 6), torch.randn(3, 4)
    torch.autograd.backward(layer.part(x, slice(2)).sum())
    gradient = layer.weight.grad
    assert gradient is not None
    torch.testing.assert_close(gradient[:2], x.sum(0).expand(2, 4))
    assert not gradient[2:].any()


def test_a_part_is_laid_out_once() -> None:
    layer, x = PackedLinear(torch.randn(6, 4), None), torch.randn(3, 4)
    with torch.inference_mode():
        layer.part(x, slice(2)), layer.part(x, slice(2)), layer.part(x, slice(2, None))
    assert len(layer._parts) == 2
