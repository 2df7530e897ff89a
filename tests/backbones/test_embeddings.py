"""Embeddings: their sum, their norm, and the map from their width to that of the states."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from foretext.backbones.embeddings import Embeddings
from foretext.backbones.neighbour_attention import DISTANCES
from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.interop.bert import Bert
from tests.networks import random_inputs

V = 50
IDS = torch.tensor([[3, 1, 4]])


def config(**settings: Any) -> Transformer.Config:
    shape = {"num_layers": 2, "dim": 16, "num_heads": 4, "max_length": 32}
    return Transformer.Config(**{**shape, **settings})


def test_the_sum_is_normalised_and_then_widened() -> None:
    torch.manual_seed(1)
    embeddings = Embeddings(config(embedding_dim=6), V)
    segments = torch.tensor([[0, 1, 1]])
    total = (
        embeddings.tokens.weight[IDS]
        + embeddings.positions.weight[:3]
        + embeddings.segments.weight[segments]
    )
    normalised = torch.nn.functional.layer_norm(total, (6,), eps=1e-12)
    projection = embeddings.projection
    expected = normalised @ projection.weight.T + projection.bias  # (1, 3, 16)
    actual = embeddings(Inputs(IDS, segments=segments), 0)
    torch.testing.assert_close(actual, expected)


def test_a_map_is_there_where_a_width_is_given() -> None:
    """ALBERT has one although both widths are equal; by default there is none."""
    assert Embeddings(config(), V).projection is None
    assert Embeddings(config(embedding_dim=16), V).projection.weight.shape == (16, 16)
    assert Embeddings(config(embedding_dim=4, bias=False), V).projection.bias is None


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"positions": "sinusoidal", "num_segments": 0},
        {"positions": "rotary", "norm_position": "pre", "embedding_norm": False},
    ],
)
def test_narrow_embeddings_learn(settings: dict[str, Any]) -> None:
    backbone = Transformer(config(embedding_dim=6, **settings), V)
    assert backbone.embedding.shape == (V, 6)
    weights = torch.linspace(0.5, 2, 16)  # a norm's outputs sum to a constant
    (backbone(random_inputs(V)).last * weights).sum().backward()
    for name, parameter in backbone.named_parameters():
        assert parameter.grad is not None, name
        assert backbone.layer_of(name) == 0 or not name.startswith("embeddings")


def test_operations_of_the_map_count() -> None:
    plain, narrow = (Transformer(config(embedding_dim=width), V).flops() for width in (None, 6))
    assert narrow.per_token - plain.per_token == 6 * 6 * 16


def test_new_segments_are_as_wide_as_tokens() -> None:
    backbone = Transformer(config(embedding_dim=6), V)
    backbone.replace_segments(torch.ones(4, 6))
    assert backbone.segment_vectors.shape == (4, 6)
    assert backbone.config.num_segments == backbone.num_segments == 4


def test_heads_look_at_near_positions_through_the_map() -> None:
    torch.manual_seed(1)
    shape = config(dim=256, embedding_dim=128, first_attention="neighbours", init_std=0.06)
    backbone = Transformer(shape, V).eval()
    with torch.no_grad():  # the same token everywhere, so that positions alone decide
        backbone.embedding.zero_()
        spread = backbone.embeddings(random_inputs(V, (1, 32)), 0).std()
    assert spread == pytest.approx(1, abs=0.1)  # as without a map
    first = backbone.attention_maps(random_inputs(V, (1, 32)))[0][0]  # (H, T, T)
    looked_at = first.argmax(-1)[:, 8:24] - torch.arange(8, 24)
    for head, distance in enumerate(DISTANCES[0]):
        assert looked_at[head].mode().values == distance


def test_scaled_token_vectors_count_more_beside_positions() -> None:
    """Vaswani et al. 2017, 3.4: vectors of 16 numbers are multiplied by 4, positions are not."""
    shape = {"num_layers": 1, "dim": 16, "num_heads": 2, "embedding_norm": False}
    torch.manual_seed(0)
    plain = Transformer(Transformer.Config(**shape), 9)
    scaled = Transformer(Transformer.Config(**shape, scale_embeddings=True), 9)
    scaled.load_state_dict(plain.state_dict())
    with torch.no_grad():
        plain.embedding.mul_(4)
    inputs = Inputs(torch.tensor([[1, 2, 3]]))
    assert torch.equal(scaled.embeddings(inputs, 0), plain.embeddings(inputs, 0))


def test_no_published_model_has_scaled_token_vectors() -> None:
    shape = {"num_layers": 1, "dim": 16, "num_heads": 2}
    assert Bert().allows(Transformer.Config(**shape))
    assert not Bert().allows(Transformer.Config(**shape, scale_embeddings=True))


def test_activations_are_dropped_by_choice() -> None:
    shape = {"num_layers": 1, "dim": 16, "num_heads": 2, "init_std": 0.5}
    torch.manual_seed(0)
    plain = Transformer(Transformer.Config(**shape), 9)
    dropping = Transformer(Transformer.Config(**shape, feed_forward_dropout=0.5), 9)
    dropping.load_state_dict(plain.state_dict())
    inputs = Inputs(torch.tensor([[1, 2, 3]]))
    assert torch.equal(plain(inputs).last, dropping.eval()(inputs).last)
    assert not torch.allclose(plain(inputs).last, dropping.train()(inputs).last)
