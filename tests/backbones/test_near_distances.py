"""First weights with which heads look at near tokens."""

from __future__ import annotations

import torch

from foretext.backbones.near_distances import DISTANCES
from foretext.backbones.xlnet import XLNet
from foretext.data.batch import Inputs

T = 24


def xlnet(first_attention: str) -> XLNet:
    torch.manual_seed(0)
    shape = {"num_layers": 2, "dim": 64, "num_heads": 4, "max_length": T}
    return XLNet(XLNet.Config(**shape, first_attention=first_attention), 50).eval()


def test_each_head_looks_most_at_its_distance() -> None:
    with torch.no_grad():
        maps = xlnet("neighbours").attention_maps(Inputs(torch.randint(50, (2, T))))
    for layer, weights in enumerate(maps):
        for head, distance in enumerate(DISTANCES[layer]):
            for query in range(3, T - 3):
                seen = weights[:, head, query]  # (B, T)
                assert (seen.argmax(-1) == query - distance).all()
                assert (seen.amax(-1) > 0.3).all()


def test_by_default_heads_look_at_all_distances() -> None:
    with torch.no_grad():
        (weights, _) = xlnet("random").attention_maps(Inputs(torch.randint(50, (2, T))))
    assert weights.max() < 3 / T


def test_less_is_added_to_the_residual_stream() -> None:
    near, random = xlnet("neighbours"), xlnet("random")
    for ours, plain in zip(near.layers, random.layers, strict=True):
        torch.testing.assert_close(2 * ours.attention.output.weight, plain.attention.output.weight)
        torch.testing.assert_close(
            2 * ours.feed_forward.outer.weight, plain.feed_forward.outer.weight
        )
