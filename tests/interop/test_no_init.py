"""Building a network to be filled draws nothing, and draws as ever afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import ModelFileError
from foretext.interop.no_init import no_init
from foretext.nn.vocabulary_head import HeadTransform, VocabularyHead

WEIGHTS, PLACE = {"all": torch.empty(1_000)}, Path("config.json")


def test_nothing_is_drawn() -> None:
    torch.manual_seed(3)
    with no_init(WEIGHTS, PLACE):
        before = torch.get_rng_state()
        Transformer(Transformer.Config(num_layers=2, dim=16, num_heads=2), 20)
        transform = HeadTransform(16, "gelu", "layer", eps=1e-5, bias=True)
        VocabularyHead(16, 20, transform=transform, tied=None, bias=True)
        assert torch.equal(torch.get_rng_state(), before)


def test_what_others_draw_does_not_count() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    with no_init(WEIGHTS, PLACE):
        torch.rand(100)
    assert torch.equal(torch.rand(4), expected)
    assert torch.nn.Linear(4, 4).weight.std() > 0


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "settings",
    [
        {"dim": 1 << 20},
        {"feed_forward_dim": 1 << 40},
        {"num_layers": 1_000_000, "dim": 1, "num_heads": 1, "feed_forward_dim": 1},
        {"max_length": 1 << 50},
        {"max_length": 1 << 50, "positions": "rotary"},
        {"max_length": 1 << 25, "positions": "sinusoidal"},
        {"num_segments": 1 << 70},
    ],
)
def test_what_is_larger_than_its_weights_is_not_built(settings: dict[str, Any]) -> None:
    config = Transformer.Config(**{"dim": 16, "num_heads": 2, **settings})
    with (
        pytest.raises(
            ModelFileError, match=r"config\.json describes a network that is much larger"
        ),
        no_init(WEIGHTS, PLACE),
    ):
        Transformer(config, 20)
