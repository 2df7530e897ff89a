"""Rows without padding: the same states, less work."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.nn import unpadded
from foretext.nn.quantized_linear import packed
from foretext.nn.unpadded import FILL, Unpadded

LENGTHS = [7, 7, 3, 12, 1]


def mask_of(lengths: list[int]) -> torch.Tensor:
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def inputs_of(lengths: list[int], **more: Any) -> Inputs:
    torch.manual_seed(1)
    mask = mask_of(lengths)
    return Inputs(torch.randint(0, 50, mask.shape), mask, **more)


def network(**settings: Any) -> Transformer:
    torch.manual_seed(0)
    chosen = {"dim": 32, "num_layers": 2, "num_heads": 4, "max_length": 32, **settings}
    return Transformer(Transformer.Config(**chosen), 50).eval()


@torch.inference_mode()
def states(model: Transformer, inputs: Inputs, least: float, patch: pytest.MonkeyPatch) -> Any:
    patch.setattr(unpadded, "LEAST_GAIN", least)
    return model(inputs).last


@torch.inference_mode()
def test_rows_are_joined_and_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpadded, "LEAST_GAIN", 0)
    mask = mask_of(LENGTHS)
    found = Unpadded.of(mask, 32)
    assert found is not None
    x = torch.randn(*mask.shape, 3)
    joined = found.joined(x)
    assert joined.shape == (1, 2 * FILL, 3)
    torch.testing.assert_close(joined[0, : sum(LENGTHS)], x[mask])
    assert not joined[0, sum(LENGTHS) :].any()
    torch.testing.assert_close(found.apart(joined), x * mask[..., None])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"positions": "rotary", "norm_position": "pre"},
        {"positions": "rotary", "global_every": 2, "local_window": 4},
        {"positions": "relative"},
        {"positions": "sinusoidal", "activation": "geglu"},
        {"embedding_dim": 8, "num_segments": 2},
    ],
)
@pytest.mark.parametrize("visibility", ["full", "causal"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_states_are_those_of_padded_rows(
    settings: dict[str, Any], visibility: str, is_packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = network(**settings)
    if is_packed:
        model = packed(model)
    inputs = inputs_of(LENGTHS, visibility=visibility)
    padded = states(model, inputs, float("inf"), monkeypatch)
    alone = states(model, inputs, 0, monkeypatch)
    assert inputs.token_mask is not None
    torch.testing.assert_close(alone[inputs.token_mask], padded[inputs.token_mask])
    assert not alone[~inputs.token_mask].any()
    assert padded[~inputs.token_mask].any()


def test_states_in_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    model, inputs = network().bfloat16(), inputs_of(LENGTHS)
    padded = states(model, inputs, float("inf"), monkeypatch)[inputs.token_mask]
    alone = states(model, inputs, 0, monkeypatch)[inputs.token_mask]
    torch.testing.assert_close(alone, padded, atol=0.05, rtol=0.05)


def test_where_padding_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpadded, "LEAST_GAIN", 0)
    model, inputs = network(), inputs_of(LENGTHS)
    with torch.inference_mode():
        assert model._unpadded(inputs, None) is not None
        assert model._unpadded(inputs, model.new_cache()) is None
        assert model._unpadded(inputs_of([5, 5]), None) is None  # nothing is saved
    assert model._unpadded(inputs, None) is None  # it may want gradients
    with torch.no_grad():
        assert model.train()._unpadded(inputs, None) is None


@torch.inference_mode()
def test_a_small_network_keeps_little_padding() -> None:
    mask = mask_of([100, 100, 102, 105, 110])
    assert Unpadded.of(mask, 64) is None
    assert Unpadded.of(mask, 384) is not None
    assert Unpadded.of(None, 384) is None
