"""DeBERTa's own answers; its states are held to the reference in tests/interop."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from foretext.backbones.deberta import Deberta, DebertaConfig
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs

V = 30
SMALL = {"num_layers": 2, "dim": 16, "num_heads": 2, "max_length": 40, "num_buckets": 8}


def made(**settings: Any) -> Deberta:
    torch.manual_seed(3)
    return Deberta(DebertaConfig(**{**SMALL, "init_std": 0.2, **settings}), V)


def ids(rows: int = 2, length: int = 21) -> torch.Tensor:
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_heads": 3}, "dim = 16 must be a multiple of num_heads = 3"),
        ({"convolution_width": 4}, "convolution_width = 4 must be odd"),
        ({"convolution_activation": "gelu"}, "convolution_activation needs a convolution_width"),
        ({"max_distance": 5}, "max_distance = 5 is too small for num_buckets = 8"),
        ({"embedding_dim": 16}, "embedding_dim = 16 is dim"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        DebertaConfig.checked({**SMALL, **settings}, "backbone")


def test_more_buckets_than_distances_are_no_error() -> None:
    assert made(num_buckets=256).distances.weight.shape == (512, 16)


def test_a_position_is_known_by_its_distance_alone() -> None:
    """The same tokens, three positions further right in a row of padding's length: equal maps."""
    backbone = made().eval()
    row = ids(1, 12)
    shifted = torch.cat([row[:, :3], row], 1)
    with torch.no_grad():
        layout = backbone._layout(Inputs(shifted))
        x = backbone.embeddings(Inputs(shifted))
        attention: Any = backbone.layers[0].attention
        query, key, _ = attention._heads(x, layout, None)
        scores = attention.bias_of(query, key, layout)
    torch.testing.assert_close(scores[..., :3, :3], scores[..., 3:6, 3:6])


def test_far_distances_share_a_vector() -> None:
    """Of four buckets a side, the last is that of all distances from the longest on."""
    backbone = made(max_length=40, max_distance=10)
    distances = backbone._layout(Inputs(ids(1, 40))).distances
    assert distances is not None
    torch.testing.assert_close(distances[0], distances[20])  # 39 and 19
    assert not torch.equal(distances[38], distances[39])  # 1 and 0


def test_layers_computed_again_give_the_same_gradients() -> None:
    found = []
    for again in (False, True):
        backbone = made(convolution_width=3, dropout=0.1).train()
        if again:
            backbone.recompute_layers()
        torch.manual_seed(0)
        backbone(Inputs(ids())).last.pow(2).sum().backward()
        found.append([parameter.grad for parameter in backbone.parameters()])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_layers_of_parameters_and_matrices_for_muon() -> None:
    backbone = made(convolution_width=3, shared_maps=False)
    layers = {
        name.split(".")[0]: backbone.layer_of(name) for name, _ in backbone.named_parameters()
    }
    assert {k: v for k, v in layers.items() if k != "blocks"} == {
        "embeddings": 0,
        "distances": 0,
        "distance_norm": 0,
        "convolution": 1,
    }
    assert backbone.layer_of("blocks.1.attention.output.weight") == 2
    counts = backbone.matrices_for_muon()
    assert counts["blocks.0.attention.query_key_value.weight"] == 3
    assert counts["blocks.0.attention.distance_query_key.weight"] == 2
    assert counts["blocks.0.feed_forward.inner.weight"] == 1
    assert not any(name.startswith("convolution") for name in counts)


def test_operations_of_a_step() -> None:
    """Two layers of 12 D² weights, three passes; and four products of all pairs of positions."""
    flops = made().flops()
    assert flops.per_token == 2 * 12 * 16**2 * 2 * 3
    assert flops.per_pair == 2 * 4 * 2 * 16 * 3
    assert made(convolution_width=3).flops().per_token == flops.per_token + 2 * 3 * 16**2 * 3
    assert made(embedding_dim=6).flops().per_token == flops.per_token + 2 * 6 * 16 * 3


def test_segments_can_be_added() -> None:
    backbone = made(embedding_dim=6).eval()
    assert backbone.segment_vectors is None
    row = ids()
    with torch.no_grad():
        before = backbone(Inputs(row)).last
        backbone.replace_segments(torch.zeros(2, 6))
        torch.testing.assert_close(backbone(Inputs(row, segments=row % 2)).last, before)
        backbone.replace_segments(torch.tensor([[0.0] * 6, [1.0] * 6]))
        assert not torch.allclose(backbone(Inputs(row, segments=row % 2)).last, before)
    assert backbone.config.num_segments == backbone.num_segments == 2


def test_a_narrower_one_has_token_vectors_of_the_same_shape() -> None:
    """As ELECTRA's generator: its heads are as wide, and it can share the token vectors."""
    narrow = made(embedding_dim=6).narrower(0.5, 1)
    assert (narrow.dim, narrow.num_layers, narrow.config.num_heads) == (8, 1, 1)
    assert narrow.embedding.shape == (V, 6)
    assert narrow.config.hidden_dim == 32
    assert made().narrower(0.5).embedding.shape == (V, 16)
    assert made().narrower(0.5)(Inputs(ids())).last.shape == (2, 21, 8)
    same = made().narrower(1.0)
    assert same.config.embedding_dim is None
    assert same.config.init_std == made().config.init_std


def test_texts_are_pooled_by_the_mean_unless_the_first_position_has_learned() -> None:
    backbone = made()
    assert backbone.default_pooling("full", has_pooler=False) == "mean"
    assert backbone.default_pooling("full", has_pooler=True) == "cls"
    assert backbone.default_pooling("full", has_pooler=True, siamese=True) == "mean"


def test_positions_of_rows_are_cut_only_where_they_are_learned() -> None:
    assert Deberta.settings_for_rows(DebertaConfig(**SMALL), 12) == {}
    positioned = DebertaConfig(**SMALL, absolute_positions=True)
    assert Deberta.settings_for_rows(positioned, 12) == {"max_length": 12, "max_distance": 40}
