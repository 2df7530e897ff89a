"""What objectives of two texts have in common: rows, losses, and what a position sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.token_file import Tokens
from foretext.objectives.sequence_to_sequence import SequenceToSequence
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches
from foretext.training.model import Model
from foretext.training.records import Tally
from foretext.training.validation import HeldOutLoss
from tests.networks import encode
from tests.sequence_networks import SPECIAL_TOKENS, model_of, tokenizer_of

Made = tuple[Model[SequenceToSequence], Tokens]


@pytest.fixture(scope="module", params=SPECIAL_TOKENS)
def made(
    request: pytest.FixtureRequest, animal_text: Path, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    tokenizer = tokenizer_of(request.param, animal_text)
    tokens = encode(animal_text, tokenizer, tmp_path_factory.mktemp("ids") / "tokens")
    return model_of(request.param, tokenizer), tokens


def batch_of(made: Made, seed: int = 0) -> Batch:
    model, tokens = made
    examples = model.objective.examples(tokens.train)
    keys = examples.keys(np.random.default_rng(seed))[:4]
    return examples.batch(keys, np.random.default_rng(seed))


def test_the_loss_is_one_mean_over_all_tokens(made: Made) -> None:
    """By PyTorch's own cross-entropy, in float64."""
    model, batch = made[0], batch_of(made)
    with torch.inference_mode():
        scores = model(batch)
        states = model.backbone(batch.inputs).last
        logits = model.objective.token_head(states).double()
    expected = F.cross_entropy(logits.flatten(0, 1), batch.targets["next"].flatten())
    tally = Tally(model.objective.divisors)
    tally.count(model.objective.counts(batch))
    tally.add(scores)
    figures = tally.figures()
    assert figures["loss"] == pytest.approx(float(expected), rel=1e-5)
    assert sum(model.objective.counts(batch).values()) == batch.targets["next"].numel()


def test_a_position_sees_the_source_and_what_is_left_of_it(made: Made) -> None:
    model, batch = made[0], batch_of(made)
    inputs, place = batch.inputs, 5
    with torch.inference_mode():
        before = model.backbone(inputs).last
        later = inputs.ids.clone()
        later[:, place + 1 :] = 7
        after = model.backbone(replace(inputs, ids=later)).last
        assert torch.equal(before[:, : place + 1], after[:, : place + 1])
        assert inputs.source is not None
        source = inputs.source.ids.clone()
        source[:, 3] = torch.where(source[:, 3] == 7, 8, 7)
        other = replace(inputs, source=replace(inputs.source, ids=source))
        assert not torch.allclose(before[:, 0], model.backbone(other).last[:, 0])


def test_padding_of_a_source_is_invisible(made: Made) -> None:
    model, batch = made[0], batch_of(made)
    source = batch.inputs.source
    assert source is not None
    real = source.ids[:1] if source.token_mask is None else source.ids[:1, source.token_mask[0]]
    ids = torch.cat([real, torch.full((1, 9), 5)], 1)
    mask = torch.arange(ids.shape[1])[None] < real.shape[1]
    first = replace(batch.inputs, ids=batch.inputs.ids[:1])
    with torch.inference_mode():
        alone = model.backbone(replace(first, source=Inputs(real))).last
        padded = model.backbone(replace(first, source=Inputs(ids, mask))).last
    assert torch.allclose(alone, padded, atol=1e-5)


def test_rows_of_a_step_are_a_function_of_seed_and_step(made: Made) -> None:
    """They differ from epoch to epoch, and are the same after a resume."""
    model, tokens = made
    batches, again = (Batches(model.objective.examples(tokens.train), 8, seed=3) for _ in range(2))
    per_epoch = batches.per_epoch
    first, second = batches.batch(0), batches.batch(per_epoch)
    assert torch.equal(again.batch(per_epoch).inputs.ids, second.inputs.ids)
    assert first.inputs.ids.shape != second.inputs.ids.shape or (
        not torch.equal(first.inputs.ids, second.inputs.ids)
    )


def test_the_held_out_loss_is_frozen(made: Made) -> None:
    model, tokens = made
    assert tokens.valid is not None
    examples = model.objective.examples(tokens.valid, held_out=True)
    first, second = (HeldOutLoss(examples, 8).measure(model) for _ in range(2))
    assert first == second


def test_it_needs_an_end_token(made: Made, wordpiece: SubwordTokenizer) -> None:
    objective, backbone = made[0].objective, made[0].backbone
    with pytest.raises(SettingError, match="no end token"):
        type(objective)(objective.config, backbone, wordpiece)


def test_states_are_scaled_before_the_head(animal_text: Path) -> None:
    """T5 1.0: the same logits from states that are divided by the root of their width."""
    tokenizer = tokenizer_of("span_corruption", animal_text)
    plain, scaled = (
        model_of("span_corruption", tokenizer, scale_states=scale) for scale in (False, True)
    )
    states = torch.randn(3, 32)
    assert torch.equal(plain.backbone.embedding, scaled.backbone.embedding)
    expected = plain.objective.token_head(states / 32**0.5)
    assert torch.allclose(scaled.objective.token_head(states), expected)


def losses(model: Model[SequenceToSequence], text: Path, tmp_path: Path) -> tuple[float, float]:
    """The loss of a model that has begun, and that of the frequencies of the same tokens."""
    tokens = encode(text, tokenizer_of("span_corruption", text), tmp_path / "tokens").train
    examples = model.objective.examples(tokens)
    with torch.no_grad():
        model.objective.begin(model.backbone, examples)
        rng = np.random.default_rng(1)
        batch = examples.batch(examples.keys(rng)[:64], rng)
        scores = model(batch)
    found = torch.bincount(batch.targets["next"].flatten()).double()
    shares = found[found > 0] / found.sum()
    loss = sum(float(score.loss) for score in scores.values()) / float(found.sum())
    return loss, -float((shares * shares.log()).sum())


@pytest.mark.parametrize("objective", ["span_corruption"])
def test_an_untrained_model_predicts_the_frequencies(
    objective: str, animal_text: Path, tmp_path: Path
) -> None:
    settings = {"tied": False, "first_frequencies": True}
    model = model_of(objective, tokenizer_of(objective, animal_text), **settings)
    loss, right = losses(model, animal_text, tmp_path)
    assert right < loss < right + 0.3
    untold = model_of(objective, tokenizer_of(objective, animal_text), tied=False)
    assert losses(untold, animal_text, tmp_path / "other")[0] > right + 1


@pytest.mark.parametrize("objective", SPECIAL_TOKENS)
def test_without_the_setting_nothing_changes(
    objective: str, animal_text: Path, tmp_path: Path
) -> None:
    tokenizer = tokenizer_of(objective, animal_text)
    model = model_of(objective, tokenizer, tied=False)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    tokens = encode(animal_text, tokenizer, tmp_path / "tokens").train
    model.objective.begin(model.backbone, model.objective.examples(tokens))
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name]), name


def test_the_token_vectors_cannot_be_the_weights_of_the_head() -> None:
    with pytest.raises(SettingError, match="first_frequencies = true needs tied = false"):
        Recipe.load("t5", ["objective.tied=true"])
    Recipe.load("t5", ["objective.tied=true", "objective.first_frequencies=false"])
