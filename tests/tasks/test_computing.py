"""Outputs of many examples: each as if it were alone, whatever the order and the batches."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.data.batch import Inputs
from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.tasks import computing
from foretext.tasks.computing import TaskNetwork, compute_outputs
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import bert

ROWS = [np.arange(length) % 7 + 5 for length in (3, 17, 1, 8, 8, 2)]


class PerRow(nn.Module):
    """Answers with the first state of the first row of each group of `group`."""

    needs_layers = False

    def __init__(self, group: int = 1) -> None:
        super().__init__()
        self.group = group

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        assert not states.last.requires_grad
        return states.last[:: self.group, 0]


class PerPosition(nn.Module):
    """Answers with every state."""

    needs_layers = False

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        return states.last


def network(tokenizer: SubwordTokenizer, task: nn.Module) -> TaskNetwork:
    return TaskNetwork(bert(tokenizer).backbone.eval(), task)  # type: ignore[arg-type]


def examples(rows: list[np.ndarray], group: int = 1) -> PaddedExamples:
    return PaddedExamples(Ragged(rows), {}, pad=0, visibility="full", group=group)


@torch.no_grad()
def alone(net: TaskNetwork, ids: np.ndarray) -> np.ndarray:
    """The states of one row."""
    return net.backbone(Inputs(torch.from_numpy(ids)[None])).last[0].numpy()


@pytest.mark.parametrize("batch_tokens", [1, 20, 1000])
def test_each_row_is_answered_as_if_alone(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch, batch_tokens: int
) -> None:
    monkeypatch.setitem(computing.BATCH_TOKENS, "cpu", batch_tokens)
    net = network(wordpiece, PerRow())
    for ids, output in zip(ROWS, compute_outputs(net, examples(ROWS)), strict=True):
        np.testing.assert_allclose(output, alone(net, ids)[0], atol=1e-5)


def test_positions_that_fill_rows_up_have_no_output(wordpiece: SubwordTokenizer) -> None:
    net = network(wordpiece, PerPosition())
    for ids, output in zip(ROWS, compute_outputs(net, examples(ROWS)), strict=True):
        assert output.shape == (len(ids), 32)
        np.testing.assert_allclose(output, alone(net, ids), atol=1e-5)


def test_rows_of_an_example_stay_together(wordpiece: SubwordTokenizer) -> None:
    net = network(wordpiece, PerRow(group=2))
    outputs = compute_outputs(net, examples(ROWS, group=2))
    assert len(outputs) == 3
    for ids, output in zip(ROWS[::2], outputs, strict=True):
        np.testing.assert_allclose(output, alone(net, ids)[0], atol=1e-5)


@pytest.mark.parametrize(
    ("unpads", "lengths"), [(False, [[17], [8, 8], [3, 2, 1]]), (True, [[17], [8, 8, 3, 2], [1]])]
)
def test_batches_hold_about_as_many_tokens_and_begin_with_the_longest(
    wordpiece: SubwordTokenizer,
    monkeypatch: pytest.MonkeyPatch,
    unpads: bool,
    lengths: list[list[int]],
) -> None:
    backbone = network(wordpiece, PerRow()).backbone
    monkeypatch.setattr(type(backbone), "unpads", unpads)
    monkeypatch.setitem(computing.BATCH_TOKENS, "cpu", 20)
    batches = computing._batches(examples(ROWS), backbone)
    assert [batch.lengths.tolist() for batch in batches] == lengths
    assert sorted(key for batch in batches for key in batch.keys.tolist()) == list(range(6))
    monkeypatch.setitem(computing.BATCH_TOKENS, "cpu", 40)
    pairs = computing._batches(examples(ROWS, group=2), backbone)
    assert [batch.lengths.tolist() for batch in pairs] == [[17], [8, 8]]


def test_nothing_asked_nothing_computed(wordpiece: SubwordTokenizer) -> None:
    assert compute_outputs(network(wordpiece, PerRow()), examples([])) == []


def test_threads_share_the_batches(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(computing.BATCH_TOKENS, "cpu", 1)
    net, before = network(wordpiece, PerPosition()), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = compute_outputs(net, examples(ROWS))
    finally:
        torch.set_num_threads(before)
    for output, row in zip(found, ROWS, strict=True):
        np.testing.assert_allclose(output, alone(net, row), atol=1e-5)
