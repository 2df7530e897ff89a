"""A head that begins with the frequencies of tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.base.errors import SettingError
from foretext.objectives.sequence_to_sequence import SequenceToSequence
from foretext.recipe import Recipe
from foretext.training.model import Model
from tests.networks import encode
from tests.sequence_networks import SPECIAL_TOKENS, model_of, tokenizer_of


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
