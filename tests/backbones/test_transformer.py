"""The Transformer: it looks at what the batch says and no more, in each of its forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.nn.attention import Layout
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import KeyValueCache
from tests.networks import random_inputs

V = 50
FORMS: dict[str, dict[str, Any]] = {
    "bert": {},
    "gpt": {"num_segments": 0, "norm_position": "pre", "embedding_norm": False},
    "original": {"positions": "sinusoidal", "num_segments": 0, "activation": "relu"},
    "modern": {
        "positions": "rotary",
        "num_segments": 0,
        "norm_position": "pre",
        "norm": "rms",
        "activation": "swiglu",
        "bias": False,
        "embedding_norm": False,
    },
    "albert": {"share_layers": True, "embedding_dim": 6, "activation": "gelu_tanh"},
    "t5": {
        "positions": "relative",
        "num_buckets": 8,
        "max_distance": 12,
        "head_dim": 6,
        "scale_scores": False,
        "num_segments": 0,
        "norm_position": "pre",
        "norm": "rms",
        "bias": False,
        "embedding_norm": False,
    },
    "local": {
        "positions": "rotary",
        "num_segments": 0,
        "norm_position": "pre",
        "activation": "geglu",
        "global_every": 2,
        "local_window": 2,
    },
}


def transformer(form: str, **settings: Any) -> Transformer:
    torch.manual_seed(1)
    shape = {"num_layers": 2, "dim": 16, "num_heads": 2, "max_length": 20, "init_std": 0.3}
    return Transformer(Transformer.Config(**{**shape, **FORMS[form], **settings}), V).eval()


def influence(backbone: Transformer, **fields: Any) -> torch.Tensor:
    """(T, T) bool, [i, j]: whether the state at i changes with the token at j."""
    inputs = random_inputs(V, (1, 8), **fields)
    embedded = backbone.embeddings.tokens(inputs.ids).detach().requires_grad_()
    backbone.embeddings.tokens = torch.nn.Module()  # type: ignore[assignment]
    backbone.embeddings.tokens.forward = lambda ids: embedded  # type: ignore[method-assign]
    states = backbone(inputs).last  # (1, T, D)
    rows = []
    weights = torch.linspace(0.5, 2, states.shape[-1])  # a norm's outputs may sum to a constant
    for position in range(8):
        (states[0, position] * weights).sum().backward(retain_graph=True)
        assert embedded.grad is not None
        rows.append(embedded.grad[0].abs().sum(-1) > 0)
        embedded.grad = None
    return torch.stack(rows)


@pytest.mark.parametrize("form", FORMS)
def test_full_visibility(form: str) -> None:
    assert influence(transformer(form)).all()


@pytest.mark.parametrize("form", FORMS)
def test_causal_visibility(form: str) -> None:
    seen = influence(transformer(form), visibility="causal")
    assert torch.equal(seen, torch.ones(8, 8, dtype=torch.bool).tril())


@pytest.mark.parametrize("visibility", ["full", "causal"])
def test_local_layers_look_at_a_window(visibility: Any) -> None:
    """The second layer mixes what is two positions away, and nothing further."""
    _, second = transformer("local").attention_maps(random_inputs(V, (1, 8), visibility=visibility))
    away = torch.arange(8) - torch.arange(8)[:, None]
    near = (away.abs() <= 2) & ((away <= 0) | (visibility == "full"))
    assert torch.equal(second[0, 0] > 0, near)


def test_visibility_by_a_matrix() -> None:
    """One layer looks at what the matrix says, no more."""
    visible = torch.rand(1, 8, 8, generator=torch.Generator().manual_seed(2)) < 0.4
    seen = influence(transformer("bert", num_layers=1), visibility="matrix", visible=visible)
    assert torch.equal(seen, visible[0] | torch.eye(8, dtype=torch.bool))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("visibility", ["full", "causal"])
def test_padding_changes_nothing(form: str, visibility: Any) -> None:
    backbone = transformer(form)
    ids = random_inputs(V, (1, 6)).ids
    padded = torch.cat((ids, torch.full((1, 4), 7)), 1)
    alone = backbone(random_inputs(V, (1, 6), visibility=visibility)).last
    token_mask = torch.arange(10)[None] < 6
    inputs = random_inputs(V, (1, 10), visibility=visibility, token_mask=token_mask)
    inputs = type(inputs)(padded, token_mask, visibility)
    assert torch.allclose(backbone(inputs).last[:, :6], alone, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_a_cache_gives_what_the_whole_gives(form: str) -> None:
    backbone = transformer(form)
    ids = random_inputs(V, (2, 11)).ids
    whole = backbone(random_inputs(V, (2, 11), visibility="causal")).last
    cache, parts = KeyValueCache(), []
    for start, stop in ((0, 4), (4, 5), (5, 8), (8, 11)):
        inputs = type(random_inputs(V))(ids[:, start:stop], visibility="causal")
        parts.append(backbone(inputs, cache=cache).last)
    assert cache.length == 11
    assert torch.allclose(torch.cat(parts, 1), whole, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_attention_maps(form: str) -> None:
    backbone = transformer(form)
    maps = backbone.attention_maps(random_inputs(V, (2, 8), visibility="causal"))
    assert len(maps) == 2
    for weights in maps:
        assert weights.shape == (2, 2, 8, 8)
        assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 8), atol=1e-6)
        assert weights.triu(1).abs().max() == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("visibility", ["full", "causal"])
def test_positions_in_order_are_the_usual_ones(form: str, visibility: Any) -> None:
    backbone = transformer(form)
    inputs = random_inputs(V, (2, 8), visibility=visibility)
    given = replace(inputs, positions=torch.arange(8).expand(2, 8))
    torch.testing.assert_close(backbone(given).last, backbone(inputs).last, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_states_follow_their_tokens_where_positions_are_shuffled(form: str) -> None:
    """With positions a row is a set: in another order it has the same states in that order."""
    backbone, inputs = transformer(form), random_inputs(V, (2, 8))
    order = torch.stack(
        [torch.randperm(8, generator=torch.Generator().manual_seed(k)) for k in (1, 2)]
    )
    shuffled = replace(inputs, ids=inputs.ids.gather(1, order), positions=order)
    expected = backbone(inputs).last.gather(1, order[..., None].expand(-1, -1, 16))
    torch.testing.assert_close(backbone(shuffled).last, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("training", [False, True])
def test_pure_queries_are_looked_at_by_nobody(form: str, training: bool) -> None:
    """The tokens' states are as without the queries, whose states are those of tokens there.

    Each query has the token and the position of one of the keys, and looks at what that one does.
    """
    backbone, inputs = transformer(form).train(training), random_inputs(V, (2, 6))
    keys, at = torch.arange(6), torch.tensor([4, 1])
    positions = torch.cat((keys, at)).expand(2, 8)
    ids = torch.cat((inputs.ids, inputs.ids[:, at]), 1)
    visible = torch.rand(2, 6, 6, generator=torch.Generator().manual_seed(2)) < 0.5
    visible |= torch.eye(6) > 0
    alone = backbone(replace(inputs, visibility="matrix", visible=visible)).last
    both = replace(
        inputs,
        ids=ids,
        positions=positions,
        visibility="matrix",
        visible=torch.cat((visible, visible[:, at]), 1),
        num_queries=2,
    )
    states = backbone(both).last
    torch.testing.assert_close(states[:, :6], alone, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(states[:, 6:], alone[:, at], atol=1e-5, rtol=1e-4)


def test_layers_are_kept_when_asked_for() -> None:
    backbone = transformer("bert")
    states = backbone(random_inputs(V), keep_layers=True)
    assert len(states.layers) == 3
    assert torch.equal(states.layers[-1], states.last)
    assert backbone(random_inputs(V)).layers == ()


def test_checkpointing_gives_the_same_gradients() -> None:
    gradients = []
    for checkpointing in (False, True):
        backbone = transformer("modern").train()
        backbone.checkpointing = checkpointing
        backbone(random_inputs(V)).last.square().sum().backward()
        assert backbone.embedding.grad is not None
        gradients.append(backbone.embedding.grad)
    assert torch.allclose(*gradients)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"dim": 10, "num_heads": 3}, "dim = 10 must be a multiple of num_heads = 3"),
        ({"dim": 6, "num_heads": 2, "positions": "rotary"}, "heads of an even width"),
        ({"rotary_base": 5.0}, "no effect without rotary positions"),
        ({"local_window": 8}, "local_window would have no effect where global_every = 1"),
        ({"local_rotary_base": 5.0, "global_every": 2}, "no effect without rotary positions"),
        ({"num_layer": 2}, "Did you mean 'num_layers'"),
        ({"num_layers": 1, "share_layers": True}, "no effect where num_layers = 1"),
        ({"share_layers": True, "first_norm": False}, "needs first_norm = true"),
    ],
)
def test_shapes_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Transformer.Config.checked(settings, "backbone")


def test_scores_are_divided_by_the_root_of_the_width() -> None:
    """Of scores [a, a, 2a] √d the last token gets 0.57612 at a = 1, 0.99991 at a = 10.

    Its value is 1 and those of the others 0, so that what attention gives is its weight.
    """
    backbone = transformer("original", num_layers=1, num_heads=1)
    attention, root = backbone.layers[0].attention, 16**0.5
    for a, expected in ((1.0, 0.57612), (10.0, 0.99991)):
        x = torch.zeros(1, 3, 16)
        x[0, :, 0] = torch.tensor([1.0, 1.0, 2.0])
        with torch.no_grad():
            attention.query_key_value.weight.zero_()
            attention.query_key_value.bias.zero_()
            attention.query_key_value.bias[0] = root  # every query is √d, every key a x
            attention.query_key_value.weight[16, 0] = a
            attention.query_key_value.weight[32, 0] = 1.0
            attention.query_key_value.bias[32] = -1.0
            attention.output.weight.copy_(torch.eye(16))
            attention.output.bias.zero_()
        layout = Layout(AttentionMask(None))
        in_training = attention(x, layout)[0, 0, 0]  # by the kernel of foretext
        with torch.no_grad():
            weights, in_use = attention.weights(x, layout), attention(x, layout)[0, 0, 0]
        for found in (weights[0, 0, 0, 2], in_training, in_use):
            assert found.item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("form", ["bert", "modern", "local"])
@pytest.mark.parametrize("lengths", [None, [8, 3]])
def test_the_first_position_only_is_what_it_is_among_all(
    form: str, lengths: list[int] | None
) -> None:
    backbone = transformer(form)
    inputs = random_inputs(V, (2, 8))
    if lengths is not None:
        inputs = replace(inputs, token_mask=torch.arange(8) < torch.tensor(lengths)[:, None])
    weights = torch.linspace(0.5, 2, backbone.dim)  # a norm's outputs may sum to a constant
    gradients = []
    for needed in ("all", "first"):
        backbone.zero_grad()
        states = backbone(replace(inputs, needed=needed)).last
        assert states.shape[1] == (8 if needed == "all" else 1)
        (states[:, 0] * weights).square().sum().backward()
        gradients.append(
            [weight.grad.clone() for weight in backbone.parameters() if weight.grad is not None]
        )
    for whole, alone in zip(*gradients, strict=True):
        torch.testing.assert_close(alone, whole, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"albert"}))
def test_some_of_the_layers_are_a_network_of_their_own(form: str) -> None:
    deep, shallow = transformer(form, num_layers=4), transformer(form)
    shallow.load_state_dict(deep.state_dict(), strict=False)
    inputs = random_inputs(V)
    whole = deep(inputs).last
    deep.use_layers(2)
    for needed in ("all", "first"):
        asked = replace(inputs, needed=needed)
        assert torch.equal(deep(asked).last, shallow(asked).last)
    assert deep.flops() == shallow.flops()
    deep.use_layers(4)
    assert torch.equal(deep(inputs).last, whole)


def test_layers_are_stacked_in_their_order() -> None:
    backbone = transformer("modern", num_layers=5, first_norm=False)
    sources = backbone.stacked_weights(3)
    weight = "attention.query_key_value.weight"
    assert sources[f"blocks.3.{weight}"] == f"blocks.0.{weight}"
    assert sources[f"blocks.4.{weight}"] == f"blocks.1.{weight}"
    assert "blocks.3.attention_norm.weight" not in sources  # the first layer has none
    assert "blocks.4.attention_norm.weight" in sources
    assert not [name for name in sources if not name.startswith(("blocks.3.", "blocks.4."))]
    assert not transformer("albert").stacks_layers


def test_shared_layers_are_copies_of_one() -> None:
    """What several layers with equal weights compute; a gradient is the sum of theirs."""
    shared, copied = (transformer("bert", share_layers=shares) for shares in (True, False))
    for index, block in enumerate(copied.blocks):
        block.load_state_dict(shared.blocks[0].state_dict())
        assert sum(name.startswith(f"blocks.{index}.") for name in shared.state_dict()) == (
            0 if index else 12
        )
    copied.embeddings.load_state_dict(shared.embeddings.state_dict())
    inputs, weights = random_inputs(V), torch.linspace(0.5, 2, 16)
    states = [backbone(inputs, keep_layers=True) for backbone in (shared, copied)]
    for one, other in zip(states[0].layers, states[1].layers, strict=True):
        assert torch.equal(one, other)
    for each in states:
        (each.last * weights).sum().backward()
    for name, parameter in shared.blocks[0].named_parameters():
        parts = [block.get_parameter(name).grad for block in copied.blocks]
        torch.testing.assert_close(parameter.grad, parts[0] + parts[1], atol=1e-5, rtol=1e-4)
    assert shared.flops() == copied.flops()  # weights are fewer, operations are not
    assert len(shared.matrices_for_muon()) == 4
