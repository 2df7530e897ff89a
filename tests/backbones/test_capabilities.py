"""What backbones say of themselves, and what one from outside the package need not say."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from foretext.backbones.base import Backbone, States
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.backbones.transformer import Transformer
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.sizes import Size, size_of
from foretext.data.batch import Inputs
from foretext.nn.cache import Cache
from foretext.nn.flops import Flops
from tests.backbones.test_backbones import CASES, backbone_of, inputs_of, looks, some_ids


class Outsider(Backbone):
    """As little as a backbone can be."""

    class Config(Config):
        """Settings."""

        dim: int = 6

    num_layers = 1
    visibilities = frozenset({"full"})

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.dim = config.dim
        self.vectors = nn.Embedding(vocab_size, config.dim)
        self.layer = nn.Linear(config.dim, config.dim)

    @property
    def embedding(self) -> nn.Parameter:
        return self.vectors.weight

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        x = self.vectors(inputs.ids)
        last = torch.tanh(self.layer(x))
        return States(last, (x, last) if keep_layers else ())


def outsider() -> Outsider:
    return Outsider(Outsider.Config(), 10)


def transformer(**settings: Any) -> Transformer:
    return Transformer(Transformer.Config(num_layers=2, dim=16, num_heads=2, **settings), 40)


def test_an_outsider_needs_no_more_than_its_states() -> None:
    backbone = outsider()
    assert [backbone.layer_of(name) for name, _ in backbone.named_parameters()] == [0, 1, 1]
    assert backbone.matrices_for_muon() == {}
    assert backbone.flops() is None
    assert backbone.new_cache() is None
    assert backbone.default_pooling("full", has_pooler=False) == "max"
    assert backbone.segment_vectors is None
    assert not backbone.reads_characters
    assert size_of(backbone.config) is None
    assert backbone.settings_for_rows(backbone.config, 64) == {}
    assert backbone.fine_tuning_defaults(pretrained=True)["learning_rate"] == 1e-3
    assert type(backbone.reinitialised()) is Outsider


def test_what_an_outsider_cannot_do_is_refused_with_a_sentence() -> None:
    backbone, ids = outsider(), torch.zeros(1, 3, dtype=torch.int64)
    with pytest.raises(SettingError, match="Outsider cannot compute its layers again"):
        backbone.recompute_layers()
    with pytest.raises(SettingError, match="Outsider has no attention to be looked at"):
        backbone.attention_maps(Inputs(ids))
    with pytest.raises(SettingError, match="Outsider cannot start from word vectors"):
        backbone.load_vectors(torch.zeros(10, 6).numpy())
    with pytest.raises(SettingError, match="Outsider reads no segments"):
        backbone.replace_segments(torch.zeros(2, 6))
    with pytest.raises(SettingError, match="transform = 'gelu' is for Transformers"):
        backbone.head_transform("gelu")


@pytest.mark.parametrize("case", CASES)
def test_every_parameter_is_of_a_layer(case: str) -> None:
    backbone = backbone_of(case)
    layers = {name: backbone.layer_of(name) for name, _ in backbone.named_parameters()}
    embedding = next(name for name, p in backbone.named_parameters() if p is backbone.embedding)
    assert layers[embedding] == 0
    num_layers = {
        "albert": 1,  # shared layers are one layer
        "encoder_decoder": 3,  # those of the encoder and of the decoder
        "seq2seq": 2,
        "seq2seq with input feeding": 4,
    }.get(case, backbone.num_layers)
    assert set(layers.values()) == set(range(num_layers + 1))


@pytest.mark.parametrize("case", CASES)
def test_what_has_attention_shows_it(case: str) -> None:
    backbone = backbone_of(case).for_tasks
    visibility = min(backbone.visibilities)
    inputs = inputs_of(some_ids(1), **looks(visibility))
    if backbone.has_attention:
        assert len(backbone.attention_maps(inputs)) == backbone.num_layers
    else:
        with pytest.raises(SettingError, match="has no attention"):
            backbone.attention_maps(inputs)


@pytest.mark.parametrize("case", CASES)
def test_reinitialised_has_the_same_shape_and_other_weights(case: str) -> None:
    backbone = backbone_of(case)
    other = backbone.reinitialised()
    assert other.config == backbone.config
    shapes = [(name, p.shape) for name, p in backbone.named_parameters()]
    assert [(name, p.shape) for name, p in other.named_parameters()] == shapes
    assert not torch.equal(other.embedding, backbone.embedding)


def test_layers_of_a_transformer() -> None:
    backbone = transformer(norm_position="pre")
    names = {
        0: "embeddings.segments.weight",
        1: "blocks.0.attention.output.bias",
        2: "final_norm.weight",
    }
    assert {backbone.layer_of(name): name for name in names.values()} == names


def test_matrices_of_a_transformer() -> None:
    counts = transformer(activation="geglu", num_segments=0).matrices_for_muon()
    assert len(counts) == 2 * 4
    assert counts["blocks.1.attention.query_key_value.weight"] == 3
    assert counts["blocks.1.attention.output.weight"] == 1
    assert counts["blocks.0.feed_forward.inner.weight"] == 2


def test_operations_of_a_transformer_worked_by_hand() -> None:
    backbone = transformer()
    matrices = 2 * 12 * 16**2  # of both layers
    flops = backbone.flops()
    assert flops == Flops(6 * matrices, 12 * 2 * 16)
    ids = torch.zeros(2, 5, dtype=torch.int64)
    assert flops.of(Inputs(ids)) == 10 * flops.per_token + 2 * 25 * flops.per_pair
    token_mask = torch.arange(5) < torch.tensor([[5], [3]])
    expected = 8 * flops.per_token + (25 + 9) * flops.per_pair
    assert flops.of(Inputs(ids, token_mask)) == expected
    backbone.layers[0].requires_grad_(False)
    assert backbone.flops() == Flops(4 * matrices, 8 * 2 * 16)


def test_pooling_of_a_transformer() -> None:
    backbone = transformer()
    assert backbone.default_pooling("full", has_pooler=True) == "cls"
    assert backbone.default_pooling("full", has_pooler=False) == "mean"
    assert backbone.default_pooling("causal", has_pooler=False) == "last"
    assert backbone.default_pooling("causal", has_pooler=False, siamese=True) == "mean"


def test_segments_of_a_transformer_can_be_replaced() -> None:
    backbone = transformer(num_segments=0)
    assert backbone.segment_vectors is None
    backbone.replace_segments(torch.ones(4, 16))
    assert backbone.num_segments == backbone.config.num_segments == 4
    assert backbone.segment_vectors is not None
    assert backbone.segment_vectors.requires_grad


def test_rates_follow_the_width_of_a_transformer() -> None:
    base = Transformer(Transformer.Config(num_layers=1, dim=768, num_heads=12), 8)
    assert base.fine_tuning_defaults(pretrained=True) == {"learning_rate": 5e-5}
    assert base.fine_tuning_defaults(pretrained=False) == {"learning_rate": 1e-4}
    assert transformer().fine_tuning_defaults(pretrained=True) == {"learning_rate": 5e-4}


def test_what_a_planner_may_change() -> None:
    config = Transformer.Config(num_layers=2, dim=16, num_heads=2)
    assert size_of(config) == Size(2, 16, 2)
    assert Transformer.settings_for_rows(config, 64) == {"max_length": 64}
    rotary = config.model_copy(update={"positions": "rotary"})
    assert Transformer.settings_for_rows(rotary, 64) == {}
    assert size_of(Recurrent.Config()) is None


def test_heads_are_drawn_as_their_backbone_wants() -> None:
    torch.manual_seed(0)
    small, wide = nn.Linear(400, 400), nn.Linear(400, 400)
    transformer().initialise_head(small)
    TextCNN(TextCNN.Config(vector_size=4, num_maps=2), 9).initialise_head(wide)
    assert small.weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert wide.weight.std().item() == pytest.approx((2 / 800) ** 0.5, rel=0.02)
    assert not small.bias.any()
    assert not wide.bias.any()
