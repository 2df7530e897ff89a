"""Weights that are shared out give the gradients of whole ones, for every kind of backbone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.pretraining.building import build_model
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.flat_parameters import FlatParameters
from foretext.training.loop import Training
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from foretext.training.sharded_parameters import ShardedParameters, sharded_blocks
from foretext.training.validation import Validation
from tests.contracts.pairs import LAWFUL, Pair, few_words, small_recipe
from tests.networks import bert, encode

NOWHERE = RunContext(Path())
ONE_A_FORM = {(pair.backbone, pair.form): pair for pair in LAWFUL}
WHOLE = {name for name in BACKBONES if not BACKBONES.resolve(name).can_be_shared_out}
SHARED_OUT = [pair for (name, _), pair in ONE_A_FORM.items() if name not in WHOLE]


@pytest.fixture(scope="module")
def alone() -> Iterator[Processes]:
    """A group of this process alone, which all the same takes the road of many."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield Processes(torch.device("cpu"))
    dist.destroy_process_group()


def gradients(model: Model, batch_of: Model, tokens: Tokens) -> None:
    """Compute those of one batch; every process adds its own up."""
    examples = batch_of.objective.examples(tokens.train)
    batch = examples.batch(examples.keys(np.random.default_rng(0))[:4], np.random.default_rng(1))
    torch.manual_seed(3)
    scores = model(batch)
    sum(score.part_of_loss(4) for score in scores.values()).backward()


@pytest.mark.parametrize("pair", SHARED_OUT, ids=str)
def test_gradients_are_those_of_whole_weights(
    pair: Pair, alone: Processes, animal_text: Path, tmp_path: Path
) -> None:
    tokenizer = few_words(pair.objective)
    tokens = encode(animal_text, tokenizer, tmp_path / "tokens")
    model = build_model(small_recipe(pair), tokenizer)
    shared_model = build_model(small_recipe(pair), tokenizer)
    gradients(model, model, tokens)
    shared = ShardedParameters(shared_model, torch.float32, {}, alone)
    assert shared_model.backbone.embedding.untyped_storage().nbytes() == 4
    gradients(shared.network, model, tokens)
    found = shared.summed(lambda place: torch.empty(0), alone)
    expected = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    by_name = {segment.name: gradient for segment, gradient in found.items()}
    assert by_name.keys() >= expected.keys()
    for name, gradient in by_name.items():
        whole = expected.get(name, torch.zeros(len(gradient)))
        torch.testing.assert_close(gradient, whole.reshape(-1), rtol=1e-4, atol=1e-6)
    shared.release()
    for ours, theirs in zip(shared_model.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("backbone", sorted({name for name, _ in ONE_A_FORM} & WHOLE))
def test_recurrent_networks_are_refused(backbone: str, alone: Processes) -> None:
    pair = next(pair for pair in LAWFUL if pair.backbone == backbone)
    model = build_model(small_recipe(pair), few_words(pair.objective))
    with pytest.raises(SettingError, match="has no blocks that are computed one at a time"):
        ShardedParameters(model, torch.float32, {}, alone)


def test_moved_masters_are_what_is_computed_with(
    alone: Processes, wordpiece: SubwordTokenizer
) -> None:
    model, other = bert(wordpiece), bert(wordpiece)
    shared = ShardedParameters(model, torch.bfloat16, {"objective.head.bias": 2.0}, alone)
    assert {s.name: s.rate for s in shared.segments}["objective.head.bias"] == 2.0
    whole = FlatParameters(other)
    assert shared.values().keys() == whole.values().keys()
    shared.master.mul_(2)
    shared.share()
    for name, value in whole.values().items():
        torch.testing.assert_close(shared.values()[name], 2 * value, rtol=0, atol=0)
    shared.load(whole.values())
    shared.release()
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_blocks_are_found_in_every_tower(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    assert list(sharded_blocks(model)) == list(model.backbone.layers)


def test_a_single_number_has_no_rows(alone: Processes, wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    model.objective.scale = torch.nn.Parameter(torch.tensor(1.0))
    with pytest.raises(SettingError, match=r"objective\.scale is a single number"):
        ShardedParameters(model, torch.float32, {}, alone)


def test_a_loss_that_compares_examples_is_refused(
    alone: Processes, wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = bert(wordpiece)
    monkeypatch.setattr(type(model.objective), "compares_examples", True)
    with pytest.raises(SettingError, match="MaskedLM compares all examples of a batch"):
        ShardedParameters(model, torch.float32, {}, alone)


def test_a_validation_of_whole_weights_is_refused(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reading(Validation):
        judged_by, higher_is_better = "valid_loss", False

    monkeypatch.setattr("foretext.training.loop.is_fully_sharded", lambda *_: True)
    model, config = bert(wordpiece), TrainingConfig(sharding="full")
    examples = model.objective.examples(bert_tokens.train)
    with pytest.raises(SettingError, match="this validation reads whole weights"):
        Training(model, examples, config, NOWHERE, Reading())


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"optimizer": "muon"}, "sharding would cut the matrices that muon moves"),
        ({"compile": True}, "compile would put together"),
    ],
)
def test_what_cannot_go_with_it(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        TrainingConfig.checked({"sharding": "full", **settings}, "training")
