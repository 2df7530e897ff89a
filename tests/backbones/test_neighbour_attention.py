"""First weights of BERT: heads begin by looking at near positions."""

from __future__ import annotations

import pytest
import torch

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.backbones.neighbour_attention import shift_matrix
from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.nn.positions import sinusoids
from tests.networks import random_inputs


@pytest.mark.parametrize("distance", [-2, 1, 5])
def test_a_matrix_shifts_sinusoids(distance: int) -> None:
    table = sinusoids(40, 16).double()
    shifted = table @ shift_matrix(16, distance).double().T
    torch.testing.assert_close(
        shifted[10:20], table[10 + distance : 20 + distance], atol=1e-5, rtol=0
    )


def test_each_head_looks_at_its_distance_most() -> None:
    backbone = _transformer(first_attention="neighbours")
    with torch.no_grad():  # the same token everywhere, so that positions alone decide
        backbone.embeddings.tokens.weight.zero_()
    first = backbone.attention_maps(random_inputs(50, (1, 32)))[0][0]  # (H, T, T)
    looked_at = first.argmax(-1)[:, 8:24] - torch.arange(8, 24)
    for head, distance in enumerate((-1, 1, -2, 2)):
        assert looked_at[head].mode().values == distance


def test_random_first_weights_are_the_default_of_other_networks() -> None:
    """The recipe of BERT sets them; fine-tuning from scratch gains nothing by them."""
    assert Transformer.Config().first_attention == "random"


def test_without_learned_positions_there_is_nothing_to_set() -> None:
    states = [
        _transformer(positions="rotary", num_segments=0, first_attention=kind).state_dict()
        for kind in ("neighbours", "random")
    ]
    for name, weight in states[0].items():
        assert torch.equal(weight, states[1][name]), name


def test_heads_look_at_near_distances_and_at_equal_tokens_of_the_source() -> None:
    """In the shape of T5, whose scores are not scaled."""
    backbone = _encoder_decoder(first_attention="neighbours").eval()
    source = torch.arange(5, 29)[None]
    inputs = Inputs(source[:, 3:15], visibility="causal", source=Inputs(source))
    own = backbone.encoder.attention_maps(Inputs(source))[0][0]
    looked_at = own.argmax(-1)[:, 4:20] - torch.arange(4, 20)
    for head, distance in enumerate((-1, 1, -2, 2)):
        assert looked_at[head].mode().values == distance
    for layer in backbone.cross_attention_maps(inputs):
        right = layer[0].argmax(-1) == torch.arange(3, 15)  # (H, T)
        assert right.float().mean() > 0.8
    for layer in _encoder_decoder().eval().cross_attention_maps(inputs):
        assert (layer[0].argmax(-1) == torch.arange(3, 15)).float().mean() < 0.5


def _encoder_decoder(**settings: object) -> EncoderDecoder:
    torch.manual_seed(1)
    shape = {
        "positions": "relative",
        "scale_scores": False,
        "scale_embeddings": False,
        "norm_position": "pre",
        "norm": "rms",
        "bias": False,
        "token_std": 1.0,
        "num_layers": 2,
        "dim": 256,
        "num_heads": 4,
        "max_length": 32,
        "init_std": 0.044,
        "dropout": 0.0,
    }
    return EncoderDecoder(EncoderDecoder.Config(**{**shape, **settings}), 50)


def _transformer(**settings: object) -> Transformer:
    torch.manual_seed(1)
    shape = {"num_layers": 2, "dim": 256, "num_heads": 4, "max_length": 32, "init_std": 0.06}
    return Transformer(Transformer.Config(**{**shape, **settings}), 50).eval()
