"""Building a network to be filled draws nothing, and draws as ever afterwards."""

from __future__ import annotations

import torch

from foretext.backbones.transformer import Transformer
from foretext.interop.undrawn import undrawn
from foretext.nn.vocabulary_head import HeadTransform, VocabularyHead


def test_nothing_is_drawn() -> None:
    torch.manual_seed(3)
    with undrawn():
        before = torch.get_rng_state()
        Transformer(Transformer.Config(num_layers=2, dim=16, num_heads=2), 20)
        transform = HeadTransform(16, "gelu", "layer", eps=1e-5, bias=True)
        VocabularyHead(16, 20, transform=transform, tied=None, bias=True)
        assert torch.equal(torch.get_rng_state(), before)


def test_what_others_draw_does_not_count() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    with undrawn():
        torch.rand(100)
    assert torch.equal(torch.rand(4), expected)
    assert torch.nn.Linear(4, 4).weight.std() > 0
