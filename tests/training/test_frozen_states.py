"""States of a frozen backbone: computed once, the same in every epoch, within a bound of memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from foretext.backbones.base import States
from foretext.base.errors import Interrupted
from foretext.data.batch import Inputs
from foretext.data.rows import LabelledText
from foretext.data.token_file import Tokens
from foretext.heads.base import TaskBase
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tasks.classification.network import TextClassifier
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches
from foretext.training.frozen_states import FrozenStates
from foretext.training.loop import Training, fit
from foretext.training.model import Model
from foretext.training.optimizer import freeze
from foretext.training.settings import TrainingConfig
from tests.contracts.interruption import stopping_at
from tests.networks import ANIMALS, SOUNDS, bert

NUM_ROWS = 20
BATCH = 8
SETTINGS: dict[str, Any] = {
    "epochs": 4.0,
    "batch_examples": BATCH,
    "freeze": "backbone",
    "learning_rate": 0.01,
    "precision": "fp32",
}
ROWS = [
    LabelledText(" ".join([f"the {ANIMALS[i % 6]}"] + [SOUNDS[i % 6]] * (i % 5)), (str(i % 2),), "")
    for i in range(NUM_ROWS)
]
WHOLE = 1e9
GIVEN = {"frozen_states_gb": 0.0}


def classifier(wordpiece: SubwordTokenizer, layers: str = "mix", dropout: float = 0.0) -> Any:
    backbone = bert(wordpiece).backbone
    for module in backbone.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = dropout
    torch.manual_seed(1)
    config = TextClassifier.task.head_config(layers=layers, dropout=0.0)
    return TextClassifier.begin(TaskBase(wordpiece, backbone, "full"), config, ROWS)


def frozen(wordpiece: SubwordTokenizer, room: float = WHOLE) -> tuple[Any, FrozenStates, Batches]:
    made = classifier(wordpiece)
    model = Model(made.base.backbone, made.head)
    freeze(model, TrainingConfig(**SETTINGS))
    batches = Batches(made.examples(ROWS), BATCH, seed=1)
    return model, FrozenStates(model, batches, room), batches


def trained(made: Any, context: RunContext | None = None, **settings: Any) -> list[dict[str, Any]]:
    model = Model(made.base.backbone, made.head)
    config = TrainingConfig(**{**SETTINGS, **settings})
    return fit(model, made.examples(ROWS), config, context or RunContext(Path()))


def weights(made: Any) -> dict[str, torch.Tensor]:
    return made.head.state_dict()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many rows backbones read."""
    from foretext.backbones.transformer import Transformer

    found: Counter[str] = Counter()
    forward = Transformer.forward

    def counting(self: Transformer, inputs: Inputs, **options: Any) -> States:
        found["rows"] += len(inputs.ids)
        return forward(self, inputs, **options)

    monkeypatch.setattr(Transformer, "forward", counting)
    return found


def test_each_row_is_read_once(wordpiece: SubwordTokenizer, reads: Counter[str]) -> None:
    trained(classifier(wordpiece))
    assert reads["rows"] == NUM_ROWS


def test_without_room_it_is_read_in_each_epoch(
    wordpiece: SubwordTokenizer, reads: Counter[str]
) -> None:
    trained(classifier(wordpiece), frozen_states_gb=0.0)
    assert reads["rows"] == 4 * NUM_ROWS


@pytest.mark.parametrize("layers", ["last", "mix", "normed_mix"])
def test_it_learns_the_same(wordpiece: SubwordTokenizer, layers: str) -> None:
    made, plain = classifier(wordpiece, layers), classifier(wordpiece, layers)
    trained(made)
    trained(plain, frozen_states_gb=0.0)
    before = weights(classifier(wordpiece, layers))
    for name, value in weights(made).items():
        torch.testing.assert_close(value, weights(plain)[name], atol=1e-5, rtol=1e-4)
        assert not torch.equal(value, before[name]), name


def test_the_first_epoch_has_the_same_bits(wordpiece: SubwordTokenizer) -> None:
    made, plain = classifier(wordpiece), classifier(wordpiece)
    trained(made, epochs=1.0)
    trained(plain, epochs=1.0, frozen_states_gb=0.0)
    for name, value in weights(made).items():
        assert torch.equal(value, weights(plain)[name]), name


def test_states_are_those_of_the_first_epoch(wordpiece: SubwordTokenizer) -> None:
    model, states, batches = frozen(wordpiece)
    first = {}
    for step in range(batches.per_epoch):
        batch = batches.batch(step)
        read = model.backbone(batch.inputs, keep_layers=True).last
        first |= zip(batch.keys.tolist(), read, strict=True)
    again = batches.batch(batches.per_epoch + 1)
    found = states.of(again)
    assert found is not None
    for row, key in enumerate(again.keys.tolist()):
        length = int(batches.examples.lengths(np.array([key]))[0])
        assert torch.equal(found.last[row, :length], first[key][:length])


def test_the_memory_is_bounded(wordpiece: SubwordTokenizer) -> None:
    model, states, batches = frozen(wordpiece)
    for step in range(batches.per_epoch):
        states.of(batches.batch(step))
    assert states.is_complete
    needed = sum(kept.nbytes for kept in states._kept.values())
    model, states, batches = frozen(wordpiece, 0.7 * needed)
    for step in range(2 * batches.per_epoch):
        batch = batches.batch(step)
        found = states.of(batch)
        read = model.backbone(batch.inputs, keep_layers=True)
        mask = batch.inputs.token_mask
        mask = torch.ones_like(batch.inputs.ids, dtype=torch.bool) if mask is None else mask
        assert found is not None
        for ours, theirs in zip(found.by_layer, read.by_layer, strict=True):
            torch.testing.assert_close(ours[mask], theirs[mask])
    assert 0 < sum(kept.nbytes for kept in states._kept.values()) <= 0.7 * needed
    assert not states.is_complete


def test_micro_batches_know_their_rows(wordpiece: SubwordTokenizer, reads: Counter[str]) -> None:
    made, plain = classifier(wordpiece), classifier(wordpiece)
    trained(made, micro_batch_examples=3)
    assert reads["rows"] == NUM_ROWS
    trained(plain)
    for name, value in weights(made).items():
        torch.testing.assert_close(value, weights(plain)[name], atol=1e-5, rtol=1e-4)


def test_a_resumed_training_ends_in_the_same_bits(
    wordpiece: SubwordTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = classifier(wordpiece)
    trained(whole)
    context = RunContext(tmp_path, checkpoints=Checkpoints(tmp_path / "checkpoints"))
    with monkeypatch.context() as patched:
        patched.setattr(Training, "_step", stopping_at(5))
        with pytest.raises(Interrupted):
            trained(classifier(wordpiece), context)
    made = classifier(wordpiece)
    trained(made, replace(context, resume=True))
    for name, value in weights(made).items():
        assert torch.equal(value, weights(whole)[name]), name


def test_what_changes_is_not_kept(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    dropping = classifier(wordpiece, dropout=0.1)
    model = Model(dropping.base.backbone, dropping.head)
    batches = Batches(dropping.examples(ROWS), BATCH, seed=1)
    freeze(model, TrainingConfig(**SETTINGS))
    assert FrozenStates(model, batches, WHOLE).of(batches.batch(0)) is None

    learning = classifier(wordpiece)
    model = Model(learning.base.backbone, learning.head)
    assert FrozenStates(model, batches, WHOLE).of(batches.batch(0)) is None

    masking = bert(wordpiece)
    freeze(masking, TrainingConfig(**SETTINGS))
    batches = Batches(masking.objective.examples(bert_tokens.train), BATCH, seed=1)
    assert FrozenStates(masking, batches, WHOLE).of(batches.batch(0)) is None


def test_no_frozen_states_without_a_frozen_backbone() -> None:
    with pytest.raises(ValidationError, match="no effect without freeze = 'backbone'"):
        TrainingConfig(**GIVEN)
