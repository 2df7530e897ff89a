"""XLNet's network: what its states depend on, and its two streams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from foretext.backbones.xlnet import DISTANCES, XLNet
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from tests.networks import random_inputs

V, T = 50, 8

NEAR_T = 24


def xlnet(**settings: Any) -> XLNet:
    torch.manual_seed(1)
    shape = {"num_layers": 2, "dim": 16, "num_heads": 2, "max_length": 20, "init_std": 0.3}
    return XLNet(XLNet.Config(**{**shape, **settings}), V).eval()


def changed(backbone: XLNet, inputs: Inputs, position: int) -> torch.Tensor:
    """(T,) bool: which states of the first row change with the token at a position."""
    ids = inputs.ids.clone()
    ids[:, position] = (ids[:, position] + 1) % V
    with torch.no_grad():
        moved = backbone(replace(inputs, ids=ids)).last - backbone(inputs).last
    return moved[0].abs().amax(-1) > 1e-6


def test_states_depend_on_what_they_see() -> None:
    backbone, inputs = xlnet(), random_inputs(V, (2, T))
    before = torch.ones(2, T, T, dtype=torch.bool).tril()
    causal = replace(inputs, visibility="matrix", visible=before)
    for position in range(T):
        assert changed(backbone, inputs, position).all()
        assert torch.equal(changed(backbone, causal, position), torch.arange(T) >= position)


def test_only_distances_count() -> None:
    """The same text, one position further behind a token that nobody sees, has the same states."""
    backbone = xlnet()
    ids = torch.randint(V, (1, T))
    visible = torch.ones(1, T + 1, T + 1, dtype=torch.bool)
    visible[:, 1:, 0] = False
    further = Inputs(torch.cat([torch.zeros(1, 1, dtype=torch.long), ids], 1), None, "matrix")
    with torch.no_grad():
        first = backbone(Inputs(ids)).last
        second = backbone(replace(further, visible=visible)).last[:, 1:]
    torch.testing.assert_close(first, second, rtol=1e-4, atol=1e-5)


def two_streams(**fields: Any) -> Inputs:
    """Tokens that all see each other but 2 and 5, which queries ask for; 5 may see 2."""
    ids = torch.cat([random_inputs(V, (1, T)).ids, torch.tensor([[7, 7]])], 1)
    order = torch.zeros(T, dtype=torch.long)
    order[2], order[5] = 1, 2
    last_seen = torch.cat([order, torch.tensor([0, 1])])
    return Inputs(
        ids,
        visibility="matrix",
        visible=(order <= last_seen[:, None])[None],
        positions=torch.tensor([[*range(T), 2, 5]]),
        num_queries=2,
        **fields,
    )


def test_queries_see_what_comes_before_and_nobody_sees_them() -> None:
    backbone, inputs = xlnet(), two_streams()
    assert changed(backbone, inputs, 0).all()
    assert changed(backbone, inputs, 2).nonzero()[:, 0].tolist() == [2, 5, 9]
    assert changed(backbone, inputs, 5).nonzero()[:, 0].tolist() == [5]
    assert not changed(backbone, inputs, 8).any()  # the id that stands at a query is not read


@pytest.mark.parametrize("learns", [True, False])
def test_the_last_layer_may_compute_queries_alone(learns: bool) -> None:
    backbone = xlnet(cls_segment=True)
    token_mask = torch.ones(1, T + 2, dtype=torch.bool)
    token_mask[:, T - 1] = False
    inputs = two_streams(token_mask=token_mask)
    with torch.set_grad_enabled(learns):
        whole = backbone(inputs).last
        queries = backbone(replace(inputs, needed="queries")).last
    assert queries.shape == (1, 2, 16)
    torch.testing.assert_close(queries, whole[:, T:], rtol=1e-5, atol=1e-6)


def test_a_query_knows_where_it_stands() -> None:
    backbone, inputs = xlnet(), two_streams()
    where = torch.tensor([[*range(T), 3, 5]])
    with torch.no_grad():
        here, there = (backbone(each).last for each in (inputs, replace(inputs, positions=where)))
    assert not torch.allclose(here[0, 8], there[0, 8])
    torch.testing.assert_close(here[0, :8], there[0, :8])


@pytest.mark.parametrize("cls_segment", [False, True])
def test_padding_changes_nothing(cls_segment: bool) -> None:
    backbone = xlnet(cls_segment=cls_segment)
    ids = torch.randint(V, (2, T))
    token_mask = torch.arange(T) < torch.tensor([[T], [5]])
    segments = (torch.arange(T) > 2).long().expand(2, T)
    for kinds in (None, segments):
        alone = None if kinds is None else kinds[1:, :5]
        with torch.no_grad():
            padded = backbone(Inputs(ids, token_mask, segments=kinds)).last[1:, :5]
            bare = backbone(Inputs(ids[1:, :5], segments=alone)).last
        torch.testing.assert_close(padded, bare, rtol=1e-4, atol=1e-5)


def test_cls_is_a_segment_of_its_own() -> None:
    """The same as a third segment at the end of each row's text."""
    ids, token_mask = torch.randint(V, (2, T)), torch.arange(T) < torch.tensor([[T], [5]])
    second = (torch.arange(T) > 2).long().repeat(2, 1)
    plain, ending = xlnet(), xlnet(cls_segment=True)
    for kinds in (None, second):
        third = torch.zeros(2, T, dtype=torch.long) if kinds is None else kinds.clone()
        third[0, -1] = third[1, 4] = 2
        with torch.no_grad():
            told = plain(Inputs(ids, token_mask, segments=third)).last
            found = ending(Inputs(ids, token_mask, segments=kinds)).last
            without = plain(Inputs(ids, token_mask, segments=kinds)).last
        assert torch.equal(told[token_mask], found[token_mask])
        assert not torch.allclose(found[token_mask], without[token_mask])


def test_segments_are_compared_not_named() -> None:
    backbone, ids = xlnet(), torch.randint(V, (1, T))
    kinds = (torch.arange(T) > 3).long()[None]
    with torch.no_grad():
        found = backbone(Inputs(ids, segments=kinds)).last
        renamed = backbone(Inputs(ids, segments=1 - kinds)).last
        all_second = backbone(Inputs(ids, segments=torch.ones_like(kinds))).last
        none = backbone(Inputs(ids)).last
    torch.testing.assert_close(found, renamed)
    torch.testing.assert_close(all_second, none)
    assert not torch.allclose(found, none)


def test_layers_computed_again_give_the_same_gradients() -> None:
    plain, again = xlnet(), xlnet()
    again.recompute_layers()
    gradients = []
    for backbone in (plain, again):
        backbone.train()
        backbone(two_streams()).last[0, T:].square().sum().backward()
        gradients.append([weight.grad for weight in backbone.parameters()])
    for first, second in zip(*gradients, strict=True):
        assert first is None if second is None else torch.equal(first, second)


def test_attention_maps_hide_what_the_matrix_hides() -> None:
    inputs = two_streams()
    with torch.no_grad():
        maps = xlnet().attention_maps(inputs)
    assert [tuple(each.shape) for each in maps] == [(1, 2, T + 2, T)] * 2
    assert inputs.visible is not None
    for weights in maps:
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, T + 2))
        assert not weights.masked_select(~inputs.visible[:, None]).any()


def test_dropout_is_drawn_in_training_only() -> None:
    backbone, inputs = xlnet(dropout=0.5, attention_dropout=0.5), random_inputs(V, (2, T))
    assert torch.equal(backbone(inputs).last, backbone(inputs).last)
    backbone.train()
    assert not torch.allclose(backbone(inputs).last, backbone(inputs).last)


def test_parameters_have_layers() -> None:
    backbone = xlnet()
    layers = {name: backbone.layer_of(name) for name, _ in backbone.named_parameters()}
    assert layers["tokens.weight"] == layers["query"] == 0
    assert layers["blocks.0.attention.content_bias"] == 1
    assert layers["blocks.1.feed_forward.inner.weight"] == 2
    assert backbone.matrices_for_muon()["blocks.1.attention.query_key_value.weight"] == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"dim": 18, "num_heads": 4}, "multiple"), ({"dim": 9, "num_heads": 3}, "must be even")],
)
def test_shapes_that_cannot_be(settings: dict[str, int], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        XLNet.Config.checked(settings, "backbone")


def test_rows_are_as_long_as_the_settings_say() -> None:
    with pytest.raises(AssertionError, match="at most 20"):
        xlnet()(random_inputs(V, (1, 21)))


def xlnet_of_near_distances(first_attention: str) -> XLNet:
    torch.manual_seed(0)
    shape = {"num_layers": 2, "dim": 64, "num_heads": 4, "max_length": NEAR_T}
    return XLNet(XLNet.Config(**shape, first_attention=first_attention), 50).eval()


def test_each_head_looks_most_at_its_distance() -> None:
    with torch.no_grad():
        maps = xlnet_of_near_distances("neighbours").attention_maps(
            Inputs(torch.randint(50, (2, NEAR_T)))
        )
    for layer, weights in enumerate(maps):
        for head, distance in enumerate(DISTANCES[layer]):
            for query in range(3, NEAR_T - 3):
                seen = weights[:, head, query]  # (B, T)
                assert (seen.argmax(-1) == query - distance).all()
                assert (seen.amax(-1) > 0.3).all()


def test_by_default_heads_look_at_all_distances() -> None:
    with torch.no_grad():
        (weights, _) = xlnet_of_near_distances("random").attention_maps(
            Inputs(torch.randint(50, (2, NEAR_T)))
        )
    assert weights.max() < 3 / NEAR_T


def test_less_is_added_to_the_residual_stream() -> None:
    near, random = xlnet_of_near_distances("neighbours"), xlnet_of_near_distances("random")
    for ours, plain in zip(near.layers, random.layers, strict=True):
        torch.testing.assert_close(2 * ours.attention.output.weight, plain.attention.output.weight)
        torch.testing.assert_close(
            2 * ours.feed_forward.outer.weight, plain.feed_forward.outer.weight
        )
