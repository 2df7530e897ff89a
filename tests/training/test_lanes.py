"""State carried over batches: one long text in short rows, interrupted or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import Field

from foretext.backbones.recurrent import Recurrent
from foretext.data.batch import Batch, Inputs
from foretext.data.token_file import TokenFile, Tokens
from foretext.errors import Interrupted, SettingError
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


class LaneExamples:
    """A text in lanes of equal length; each batch takes the next row of every lane."""

    def __init__(self, tokens: TokenFile) -> None:
        self.steps = (len(tokens.ids) - 1) // (NUM_LANES * LENGTH)
        self.ids = tokens.ids[: NUM_LANES * self.steps * LENGTH + 1].astype(np.int64)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return np.arange(self.steps * NUM_LANES)  # a row of each lane, then the next rows

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        step, lane = keys // NUM_LANES, keys % NUM_LANES
        starts = (lane * self.steps + step) * LENGTH
        rows = torch.from_numpy(self.ids[starts[:, None] + np.arange(LENGTH + 1)])
        inputs = Inputs(rows[:, :-1].contiguous(), visibility="causal")
        return Batch(inputs, {"next": rows[:, 1:].contiguous()}, continues=bool(step[0] > 0))


class LaneLM(CausalLM):
    """A causal language model that reads on where the batch before ended."""

    class Config(CausalLM.Config):
        tied: bool = Field(False)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> LaneExamples:
        return LaneExamples(tokens)


def model_of(tokenizer: SubwordTokenizer) -> Model:
    torch.manual_seed(0)
    config = Recurrent.Config(dim=16, vector_size=12, num_layers=2, bidirectional=False, dropout=0)
    backbone = Recurrent(config, tokenizer.vocab_size)
    return Model(backbone, LaneLM(LaneLM.Config(), backbone, tokenizer))


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
    held_out = HeldOutLoss(model.objective.examples(tokens.valid, held_out=True), NUM_LANES)
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
    examples = LaneExamples(gpt_tokens.valid)
    measured = HeldOutLoss(examples, NUM_LANES).measure(model)["valid_loss"]
    rows = torch.from_numpy(examples.ids[:-1].reshape(NUM_LANES, -1))
    after = torch.from_numpy(examples.ids[1:].reshape(NUM_LANES, -1))
    batch = Batch(Inputs(rows, visibility="causal"), {"next": after})
    with torch.inference_mode():
        whole = float(model(batch)["causal_lm"].loss) / after.numel()
    assert measured == pytest.approx(whole, rel=1e-5)
    with torch.inference_mode():  # which rows by themselves do not give
        alone = model(examples.batch(np.arange(NUM_LANES, 2 * NUM_LANES), np.random.default_rng(0)))
        carried = Lanes()
        model(examples.batch(np.arange(NUM_LANES), np.random.default_rng(0)))
        carried.add(model.carried)
        carried.end()
        second = examples.batch(np.arange(NUM_LANES, 2 * NUM_LANES), np.random.default_rng(0))
        together = model(carried.begin(second))
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
    examples = LaneExamples(gpt_tokens.train)
    config = TrainingConfig(steps=3, batch_examples=NUM_LANES)
    training = Training(model, examples, config, NOWHERE)
    training.processes.size = 2
    batch = examples.batch(np.arange(NUM_LANES, 2 * NUM_LANES), np.random.default_rng(0))
    with pytest.raises(SettingError, match="which one process alone can do"):
        training._continued(batch)
