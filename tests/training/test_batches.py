"""Batches: a function of seed and step, each example once an epoch, like lengths together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import CorpusError, Interrupted, SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile, Tokens
from foretext.objectives.causal_lm import CausalLM
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches, Lanes
from foretext.training.loop import Training, fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss

NOWHERE = RunContext(Path())
NUM_LANES, LENGTH = 4, 8


class Numbers(Examples):
    """Examples that are their keys; every third one is long."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(50)

    def lengths(self, keys: np.ndarray) -> np.ndarray:
        return np.where(keys % 3 == 0, 9, 2)

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        drawn = rng.random(len(keys))
        return Batch(Inputs(torch.from_numpy(keys)[:, None]), {"drawn": torch.from_numpy(drawn)})


class NoNumbers(Numbers):
    """Of a text that is too short for one."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return np.empty(0, np.int64)


def ids(batch: Batch) -> list[int]:
    return batch.inputs.ids[:, 0].tolist()


def test_an_epoch_has_every_example_once() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    assert batches.per_epoch == 7
    for epoch in (0, 1):
        steps = range(epoch * 7, epoch * 7 + 7)
        assert sorted(i for step in steps for i in ids(batches.batch(step))) == list(range(50))
    assert ids(batches.batch(0)) != ids(batches.batch(7))


def test_a_batch_is_a_function_of_seed_and_step() -> None:
    first, second = Batches(Numbers(), 8, seed=3), Batches(Numbers(), 8, seed=3)
    for step in (12, 3, 12):
        one, other = first.batch(step), second.batch(step)
        assert ids(one) == ids(other)
        assert torch.equal(one.targets["drawn"], other.targets["drawn"])
    assert ids(first.batch(0)) != ids(Batches(Numbers(), 8, seed=4).batch(0))


class OfManyLengths(Numbers):
    def lengths(self, keys: np.ndarray) -> np.ndarray:
        return keys + 1


@pytest.mark.parametrize("tokens", [50, 100, 333])
def test_a_budget_of_tokens_is_filled_by_examples_of_like_length(tokens: int) -> None:
    batches = Batches(OfManyLengths(), 8, seed=3, batch_tokens=tokens)
    for epoch in (0, 1):
        steps = range(epoch * batches.per_epoch, (epoch + 1) * batches.per_epoch)
        found = [sorted(ids(batches.batch(step))) for step in steps]
        assert sorted(i for keys in found for i in keys) == list(range(50))
        for keys in found:
            assert keys == list(range(keys[0], keys[-1] + 1))
            assert len(keys) * (keys[-1] + 1) <= tokens
            after = keys[-1] + 1  # one more would be too many
            assert after == 50 or (len(keys) + 1) * (after + 1) > tokens


def test_epochs_by_tokens_have_other_batches_in_another_order() -> None:
    batches = Batches(Numbers(), 8, seed=3, batch_tokens=20)
    num = batches.per_epoch
    first, second = ([ids(batches.batch(e * num + s)) for s in range(num)] for e in (0, 1))
    assert sorted(map(len, first)) == sorted(map(len, second))
    assert sorted(map(sorted, first)) != sorted(map(sorted, second))


def test_an_example_above_the_budget_is_a_batch_of_its_own() -> None:
    batches = Batches(OfManyLengths(), 8, seed=3, batch_tokens=10)
    sizes = {tuple(ids(batches.batch(step))) for step in range(batches.per_epoch)}
    assert (49,) in sizes


def test_tokens_of_equally_long_rows_are_refused() -> None:
    class Equal(Numbers):
        def lengths(self, keys: np.ndarray) -> None:  # type: ignore[override]
            return None

    with pytest.raises(SettingError, match="batch_tokens is for examples of different lengths"):
        Batches(Equal(), 8, seed=3, batch_tokens=10)


def test_what_comes_from_the_background_is_the_same() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    ahead = Batches(Numbers(), 8, seed=3).ahead(5)
    for step, part in zip(range(5, 20), islice(ahead, 15), strict=True):
        assert ids(part.batch) == ids(batches.batch(step))
        assert list(part.rows) == list(range(part.num_examples))
    ahead.close()  # type: ignore[attr-defined]


def test_lanes_go_on_where_they_ended() -> None:
    class Ordered(Numbers):
        def keys(self, rng: np.random.Generator) -> np.ndarray:
            return np.arange(50)

    batches = Batches(Ordered(), 8, seed=3, continues=True)
    assert batches.per_epoch == 6  # and two rows are left out
    epoch = [batches.batch(step) for step in range(6, 12)]
    assert [batch.continues for batch in epoch] == [False, *[True] * 5]
    lanes = list(zip(*map(ids, epoch), strict=True))
    assert lanes == [tuple(range(lane * 6, lane * 6 + 6)) for lane in range(8)]
    assert [ids(batch) for batch in epoch] == [ids(batches.batch(step)) for step in range(6)]


def test_fewer_rows_than_lanes_are_one_batch() -> None:
    class Few(Numbers):
        def keys(self, rng: np.random.Generator) -> np.ndarray:
            return np.arange(3)

    batches = Batches(Few(), 8, seed=3, continues=True)
    assert batches.per_epoch == 1
    assert ids(batches.batch(0)) == [0, 1, 2]


def test_like_lengths_stand_together() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    mixed = sum(len({i % 3 == 0 for i in ids(batches.batch(step))}) > 1 for step in range(7))
    assert mixed <= 1


@pytest.mark.parametrize("size", [1, 3, 8, 11])
def test_parts_of_all_processes_are_the_batch(size: int) -> None:
    def share_of(rank: int) -> Callable[[int], range]:
        return lambda count: range(count * rank // size, count * (rank + 1) // size)

    whole = Batches(Numbers(), 8, seed=3)
    everyones = [Batches(Numbers(), 8, seed=3, share_of=share_of(rank)) for rank in range(size)]
    for step in (0, 6, 9):  # the last one of an epoch is shorter
        batch = whole.batch(step)
        parts = [batches.part(step) for batches in everyones]
        assert {part.num_examples for part in parts} == {len(batch)}
        assert [row for part in parts for row in part.rows] == list(range(len(batch)))
        own = [part.batch for part in parts if part.rows]
        assert [i for each in own for i in ids(each)] == ids(batch)
        assert batch.keys is not None
        assert [key for each in own for key in each.keys.tolist()] == batch.keys.tolist()
        drawn = torch.cat([each.targets["drawn"] for each in own])
        assert torch.equal(drawn, batch.targets["drawn"])
        idle = [part.batch for part in parts if not part.rows]
        assert all(ids(each) == ids(batch)[:1] for each in idle)


@pytest.mark.parametrize("continues", [False, True])
def test_no_example_at_all_is_said(continues: bool) -> None:
    batches = Batches(NoNumbers(), 4, 0, continues=continues)
    assert batches.per_epoch == 0
    with pytest.raises(CorpusError, match="too short"):
        batches.batch(0)


def model_of(tokenizer: SubwordTokenizer) -> Model:
    torch.manual_seed(0)
    config = Recurrent.Config(dim=16, vector_size=12, num_layers=2, bidirectional=False, dropout=0)
    backbone = Recurrent(config, tokenizer.vocab_size)
    lanes = CausalLM.Config(row_length=LENGTH, tied=False, carry_state=True)
    return Model(backbone, CausalLM(lanes, backbone, tokenizer))


def held_out_loss(model: Model, text: TokenFile) -> HeldOutLoss:
    examples = model.objective.examples(text, held_out=True)
    return HeldOutLoss(examples, NUM_LANES, continues=True)


def trained(
    tokenizer: SubwordTokenizer,
    tokens: Tokens,
    context: RunContext = NOWHERE,
    *,
    validates: bool = True,
    **settings: Any,
) -> Model:
    model = model_of(tokenizer)
    config = TrainingConfig(
        **{"steps": 12, "batch_examples": NUM_LANES, "precision": "fp32", **settings}
    )
    assert tokens.valid is not None
    held_out = held_out_loss(model, tokens.valid)
    examples = model.objective.examples(tokens.train)
    fit(model, examples, config, context, held_out if validates else None)
    return model


@contextmanager
def context_of(folder: Path, *, resume: bool = False) -> Iterator[RunContext]:
    with MetricsLog(folder / "metrics.jsonl") as log:
        checkpoints = Checkpoints(folder / "checkpoints")
        yield RunContext(folder, log=log, checkpoints=checkpoints, resume=resume)


def same(first: Model, second: Model) -> bool:
    theirs = second.state_dict()
    return all(torch.equal(value, theirs[name]) for name, value in first.state_dict().items())


def test_short_rows_give_the_loss_of_one_long_row(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    assert gpt_tokens.valid is not None
    model = model_of(byte_bpe).eval()
    loss = held_out_loss(model, gpt_tokens.valid)
    parts = [loss.batches.batch(step) for step in range(loss.batches.per_epoch)]
    rows = torch.cat([part.inputs.ids for part in parts], dim=1)
    after = torch.cat([part.targets["next"] for part in parts], dim=1)
    assert torch.equal(rows[:, 1:], after[:, :-1])  # each row goes on
    assert rows.numel() > len(gpt_tokens.valid.ids) - (NUM_LANES + 2) * LENGTH
    with torch.inference_mode():
        whole = model(Batch(Inputs(rows, visibility="causal"), {"next": after}))
        alone = model(replace(parts[1], continues=False))
        second = Lanes()
        model(parts[0])
        second.add(model.carried)
        second.end()
        together = model(second.begin(parts[1]))
    measured = loss.measure(model)["valid_loss"]
    assert measured == pytest.approx(float(whole["causal_lm"].loss) / after.numel(), rel=1e-5)
    assert alone["causal_lm"].loss != together["causal_lm"].loss


def test_micro_batches_change_nothing(byte_bpe: SubwordTokenizer, gpt_tokens: Tokens) -> None:
    whole = trained(byte_bpe, gpt_tokens)
    parts = trained(byte_bpe, gpt_tokens, micro_batch_examples=1)
    for name, value in whole.state_dict().items():
        assert torch.allclose(value, parts.state_dict()[name], atol=1e-5), name


def test_validation_does_not_touch_the_state(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    often = trained(byte_bpe, gpt_tokens, valid_steps=1)
    assert same(often, trained(byte_bpe, gpt_tokens, validates=False))


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_resumed_training_ends_in_the_same_bits(
    byte_bpe: SubwordTokenizer,
    gpt_tokens: Tokens,
    precision: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = trained(byte_bpe, gpt_tokens, precision=precision)
    step = Training._step

    def stopping(training: Training, batch: Batch) -> None:
        step(training, batch)
        if training.state.step == 5:
            training._stop("SIGTERM")

    monkeypatch.setattr(Training, "_step", stopping)
    with context_of(tmp_path) as context, pytest.raises(Interrupted):
        trained(byte_bpe, gpt_tokens, context, precision=precision)
    monkeypatch.undo()
    with context_of(tmp_path, resume=True) as context:
        resumed = trained(byte_bpe, gpt_tokens, context, precision=precision)
    assert same(whole, resumed)


def test_a_batch_of_a_new_epoch_begins_without_state() -> None:
    lanes = Lanes()
    lanes.states = (torch.ones(3, 2),)
    rows = Inputs(torch.zeros(2, 4, dtype=torch.int64))
    assert lanes.begin(Batch(rows)).inputs.carried == ()
    (carried,) = lanes.begin(Batch(rows, continues=True)).inputs.carried
    assert carried.shape == (2, 2)  # the last batch of an epoch may have fewer rows


def test_states_are_kept_exactly() -> None:
    lanes, again = Lanes(), Lanes()
    lanes.states = (torch.randn(3, 2), torch.randn(3, 2).bfloat16())
    arrays = lanes.arrays()
    again.load({**arrays, "weight.x": np.zeros(1)}, torch.device("cpu"))
    for state, kept in zip(lanes.states, again.states, strict=True):
        assert state.dtype == kept.dtype
        assert torch.equal(state, kept)


def test_several_processes_are_refused(byte_bpe: SubwordTokenizer, gpt_tokens: Tokens) -> None:
    model = model_of(byte_bpe)
    examples = model.objective.examples(gpt_tokens.train)
    config = TrainingConfig(steps=3, batch_examples=NUM_LANES)
    training = Training(model, examples, config, NOWHERE)
    training.processes.size = 2
    part = training.batches.part(1)
    with pytest.raises(SettingError, match="which one process alone can do"):
        training.gradients.add(part, model.objective.counts(part.batch), training.records.tally)
