from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.kernels.row_linear import pack_blocks
from foretext.nn.quantized_linear import RowLinear, for_single_rows, head_for_single_rows
from foretext.nn.vocabulary_head import HeadTransform, VocabularyHead


def test_blocks_by_hand() -> None:
    weight = np.arange(20 * 3, dtype=np.float32).reshape(20, 3)
    blocks = pack_blocks(weight).reshape(2, 3, 16)
    numbers = (blocks.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(numbers[0, 1], weight[:16, 1])
    np.testing.assert_array_equal(numbers[1, 2], [*weight[16:, 2], *[0] * 12])


@pytest.mark.parametrize("shape", [(16, 16), (320, 48), (33, 7), (1, 5), (300, 1)])
@pytest.mark.parametrize("num_rows", [1, 3, 8, 9])
def test_a_linear_map_of_bfloat16_weights(shape: tuple[int, int], num_rows: int) -> None:
    generator = torch.Generator().manual_seed(0)
    weight, bias = torch.randn(shape, generator=generator), torch.randn(shape[0])
    x = torch.randn(num_rows, 1, shape[1], generator=generator)
    rounded = weight.bfloat16().float() if num_rows <= 8 else weight
    for additive in (bias, None):
        with torch.inference_mode():
            found = RowLinear(weight, additive)(x)
        torch.testing.assert_close(found, F.linear(x, rounded, additive), atol=1e-4, rtol=1e-4)


def test_a_network_keeps_all_but_its_linear_maps() -> None:
    torch.manual_seed(0)
    config = Transformer.Config(num_layers=2, dim=32, num_heads=2, activation="swiglu")
    network = Transformer(config, 50).eval()
    replaced = for_single_rows(network)
    assert replaced.embedding is network.embedding
    assert isinstance(network.layers[0].attention.output, nn.Linear)
    assert not any(isinstance(module, nn.Linear) for module in replaced.modules())
    for length in (1, 5, 30):
        inputs = Inputs(torch.arange(length)[None])
        with torch.inference_mode():
            exact, fast = network(inputs).last, replaced(inputs).last
        torch.testing.assert_close(fast, exact, atol=0.05, rtol=0.05)
        assert (fast == exact).all() == (length > 8)


def test_a_head_with_a_transform() -> None:
    torch.manual_seed(0)
    transform = HeadTransform(32, "gelu", "layer", eps=1e-5, bias=True)
    head = VocabularyHead(32, 70, transform=transform, tied=None, bias=True)
    states = torch.randn(2, 32)
    with torch.inference_mode():
        exact, fast = head(states), head_for_single_rows(head)(states)
    assert fast.shape == (2, 70)
    torch.testing.assert_close(fast, exact, atol=0.02, rtol=0.02)
