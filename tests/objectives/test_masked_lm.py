"""Masked language modelling: the shapes of its heads, and its loss by worked numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.backbones.transformer import Transformer
from foretext.data.batch import Batch, Inputs
from foretext.messages import in_language
from foretext.nn.vocabulary_head import VocabularyHead
from foretext.objectives.masked_lm import MaskedLM
from foretext.shown import Note
from tests.language_model.models import learned_tokenizer

V = 10


def objective_of(vocab_size: int, **shape: int) -> tuple[Transformer, MaskedLM]:
    torch.manual_seed(0)
    config = Transformer.Config.checked({"max_length": 16, **shape}, "backbone")
    backbone = Transformer(config, vocab_size)
    settings = MaskedLM.Config(next_sentence=True)
    return backbone, MaskedLM(settings, backbone, learned_tokenizer("wordpiece"))


def scored(logits: Tensor, originals: Tensor, masked: Tensor) -> float:
    """The loss of a step that training really uses, where the states are the logits (B, T, V)."""
    _, objective = objective_of(V, num_layers=1, dim=16, num_heads=2)
    objective.next_sentence = None
    identity = nn.Parameter(torch.eye(V))
    objective.head = VocabularyHead(V, V, transform=None, tied=identity, bias=False)
    batch = Batch(Inputs(originals), {"original": originals, "masked": masked})
    score = objective.scores(States(logits), batch)["masked_lm"]
    return score.part_of_loss(objective.counts(batch)["masked_lm"]).item()


def test_shapes_of_the_encoder_and_its_heads() -> None:
    """Two rows of eight tokens, three of them hidden in each, over 10,000 tokens."""
    backbone, objective = objective_of(
        10_000, num_layers=2, dim=768, num_heads=4, feed_forward_dim=1024
    )
    ids = torch.randint(10_000, (2, 8))
    segments = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]])
    positions = torch.tensor([[1, 5, 2], [6, 1, 5]])
    with torch.no_grad():
        states = backbone(Inputs(ids, segments=segments)).last
        hidden = states.gather(1, positions[..., None].expand(-1, -1, 768))
        assert objective.next_sentence is not None
        assert states.shape == (2, 8, 768)
        assert objective.head(hidden).shape == (2, 3, 10_000)
        assert objective.next_sentence(states).shape == (2, 2)


def test_only_positions_that_count_are_in_the_loss() -> None:
    """Four, two and no tokens of equal logits: each costs log 10, and the mean is of six."""
    logits, originals = torch.ones(3, 4, V), torch.ones(3, 4, dtype=torch.int64)
    masked = torch.arange(4) < torch.tensor([4, 2, 0])[:, None]
    assert scored(logits, originals, masked) == pytest.approx(2.3026, abs=1e-4)
    rows = [scored(logits[:1], originals[:1], row[None]) for row in masked[:2]]
    shares = [loss * int(row.sum()) / 4 for loss, row in zip(rows, masked[:2], strict=True)]
    assert shares == pytest.approx([2.3026, 1.1513], abs=1e-4)  # as means over four positions


def test_the_loss_is_that_of_a_softmax_that_is_shifted() -> None:
    """Numbers added to all logits of a position change nothing, and large ones do not overflow."""
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(2, 5, V, generator=generator)
    originals = torch.randint(V, (2, 5), generator=generator)
    masked = torch.tensor([[True, False, True, True, False], [False, False, False, True, False]])
    exact = logits.double().numpy()
    largest = exact.max(-1, keepdims=True)
    log_shares = exact - largest - np.log(np.exp(exact - largest).sum(-1, keepdims=True))
    right = -np.take_along_axis(log_shares, originals.numpy()[..., None], -1)[..., 0]
    expected = right[masked.numpy()].mean()
    assert scored(logits, originals, masked) == pytest.approx(expected, rel=1e-5)
    assert scored(logits + 300.0, originals, masked) == pytest.approx(expected, rel=1e-3)
    alone = torch.zeros(1, 1, V)
    alone[0, 0, 3] = 5000.0
    one = torch.tensor([[True]])
    assert scored(alone, torch.tensor([[3]]), one) == 0.0
    assert scored(alone, torch.tensor([[2]]), one) == pytest.approx(5000.0)
    assert math.isfinite(scored(-alone, torch.tensor([[3]]), one))


@pytest.mark.parametrize(("unit", "said"), [(0, None), (1, "single tokens"), (2, "whole words")])
def test_a_row_says_what_it_hides_if_it_hides_anything(unit: int, said: str | None) -> None:
    backbone, _ = objective_of(120, num_layers=1, dim=16, num_heads=2)
    tokenizer = learned_tokenizer("wordpiece")
    settings = MaskedLM.Config(next_sentence=False, units=["token", "word"])
    objective = MaskedLM(settings, backbone, tokenizer)
    ids = torch.full((1, 6), 30)
    masked = (torch.arange(6)[None] == 2) & (unit > 0)
    units = torch.tensor([unit], dtype=torch.int8)
    targets = {"original": ids, "masked": masked, "unit": units}
    batch = Batch(Inputs(ids), targets, by_example=frozenset({"unit"}))
    with in_language("en"):
        parts = objective.show(batch, tokenizer)
    found = [part.text for part in parts if isinstance(part, Note) and "hides" in part.text]
    assert found == ([] if said is None else [f"This row hides {said}."])
    verbs = [
        part.text for part in parts if isinstance(part, Note) and "predicted here" in part.text
    ]
    assert verbs[0].startswith(f"{min(unit, 1)} of 6 tokens {'is' if unit else 'are'} predicted")
