"""State carried over batches: one long text in short rows, interrupted or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import Interrupted, SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.token_file import TokenFile, Tokens
from foretext.objectives.causal_lm import CausalLM
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.lanes import Lanes
from foretext.training.loop import Training, fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss

NOWHERE = RunContext(Path())
NUM_LANES, LENGTH = 4, 8


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
