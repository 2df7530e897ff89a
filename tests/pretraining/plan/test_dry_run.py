"""What a training needs elsewhere: published sizes, and figures that follow from each other."""

from __future__ import annotations

import pytest
import torch

from foretext.pretraining.plan.dry_run import DryRun, Footprint, Weights, footprint
from foretext.pretraining.planning import dry_runs_of
from foretext.recipe import Recipe

P = 8_000_000
HALF, FULL = torch.bfloat16, torch.float32


def runs(recipe: str, processes: int = 8, device: str = "h100", **settings: object) -> list[DryRun]:
    chosen = Recipe.load(recipe, [f"{k.replace('__', '.')}={v}" for k, v in settings.items()])
    return dry_runs_of(chosen, device, processes, 0.4)[1]


@pytest.mark.parametrize(
    ("recipe", "vocab_size", "millions"),
    [("bert-base", 30522, 110), ("bert-large", 30522, 336), ("gpt-base", 50257, 124)],
)
def test_weights_are_those_of_the_papers(recipe: str, vocab_size: int, millions: int) -> None:
    """Devlin et al. 2019 and Radford et al. 2019; GPT-2 has 1024 positions, this one fewer."""
    found = runs(recipe, tokenizer__vocab_size=vocab_size)[0]
    assert found.parameters / 1e6 == pytest.approx(millions, rel=0.01)


def test_sharing_more_takes_less() -> None:
    none, optimizer, full = runs("bert-large")
    assert none.total_bytes > optimizer.total_bytes > full.total_bytes
    assert none.bytes.activations == full.bytes.activations
    assert full.step_seconds == max(full.compute_seconds, full.network_seconds)
    assert none.step_seconds == none.compute_seconds + none.network_seconds


def test_one_process_shares_nothing() -> None:
    (alone,) = runs("bert-base", 1)
    assert (alone.sharding, alone.network_seconds, alone.bytes.sent) == ("none", 0, 0)


def test_six_operations_a_weight_and_token() -> None:
    """Kaplan et al. 2020, section 2.1: all weights but the embeddings, for short rows."""
    found = runs("gpt-base", 1, tokenizer__vocab_size=1000, objective__row_length=16)[0]
    work = 0.4 * 989e12 * found.compute_seconds / found.step_tokens
    assert work == pytest.approx(6 * (found.parameters - 1024 * 768), rel=0.03)


def test_machines_far_apart_are_slower() -> None:
    near, far = runs("bert-large", 8)[0], runs("bert-large", 16)[0]
    assert far.network_seconds > 5 * near.network_seconds


def test_computing_layers_twice_takes_time_and_spares_memory() -> None:
    usual = runs("bert-large")[0]
    twice = runs("bert-large", training__gradient_checkpointing="true")[0]
    assert twice.compute_seconds == pytest.approx(usual.compute_seconds * 4 / 3)
    assert twice.bytes.activations < usual.bytes.activations


def bytes_a_weight(found: Footprint) -> float:
    return found.total / P


@pytest.mark.parametrize(
    ("kind", "processes", "expected"),
    [("none", 1, 16), ("none", 8, 20), ("optimizer", 8, 4 + 20 / 8), ("full", 8, 20 / 8)],
)
def test_bytes_a_weight_in_bfloat16(kind: str, processes: int, expected: float) -> None:
    """Of a network that is nearly all blocks, each of them small."""
    found = footprint(Weights(P, 0, 0), kind, processes, HALF, 0)  # type: ignore[arg-type]
    assert bytes_a_weight(found) == pytest.approx(expected, rel=1e-6)


def test_the_largest_block_and_what_is_outside_come_on_top() -> None:
    R, K = 1000, 100
    found = footprint(Weights(P, R, K), "full", 4, HALF, 7)
    assert found.weights == P + 2 * (R + 2 * K + R)
    assert found.gradients == P + 2 * (R + K) + 4 * R
    assert (found.optimizer, found.activations) == (3 * P, 7)


def test_in_float32_the_masters_are_the_weights() -> None:
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "none", 1, FULL, 0)) == 16
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "optimizer", 2, FULL, 0)) == 16
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "full", 2, FULL, 0)) == 10


@pytest.mark.parametrize(("kind", "expected"), [("none", 8), ("optimizer", 6), ("full", 8)])
def test_what_a_ring_of_two_sends(kind: str, expected: float) -> None:
    found = footprint(Weights(P, 0, 0), kind, 2, HALF, 0)  # type: ignore[arg-type]
    assert found.sent == expected * P / 2
