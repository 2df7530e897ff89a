"""ERNIE from a text and a list to a model: it learns, and goes on exactly where it was stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import Interrupted
from foretext.data.token_file import TokenFile, Tokens, num_entities
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.training.loop import Training
from tests.contracts.interruption import stopping_at
from tests.networks import ANIMALS

STEPS = 48
TEXTS = ["the dog barks in the morning .", "a happy cat"]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    names = tmp_path / "names.txt"
    names.write_text("\n".join(f"happy {animal}" for animal in ANIMALS))
    sizes = ["num_layers=2", "dim=32", "num_heads=2", "max_length=32"]
    return Recipe.load(
        "ernie",
        [
            *(f"backbone.{size}" for size in sizes),
            f'objective.entities="{names}"',
            "objective.row_length=24",
            "tokenizer.vocab_size=120",
            "training.learning_rate=0.02",
            "training.precision='fp32'",
            f"training.steps={STEPS}",
            "training.valid_steps=24",
        ],
    )


def unigram_entropy(train: TokenFile, valid: TokenFile) -> float:
    """Nats a token of a text, by the shares of the tokens in another one."""
    rates, counts = train.counts() + 0.5, valid.counts()
    return float(-(counts * np.log(rates / rates.sum())).sum() / counts.sum())


def test_it_learns_and_resumes_to_the_bit(
    recipe: Recipe, animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_recipe(recipe, animal_text, tmp_path / "whole")
    train, valid = Tokens.open(tmp_path / "whole" / "tokens")
    assert train.units is not None
    assert num_entities(train.units) == train.num_documents  # one in each
    assert valid is not None
    loss = whole.history[-1]["valid_masked_lm_loss"]
    assert loss < 0.85 * unigram_entropy(train, valid)
    with monkeypatch.context() as stopped:
        stopped.setattr(Training, "_step", stopping_at(20))
        with pytest.raises(Interrupted):
            run_recipe(recipe, animal_text, tmp_path / "run")
    run_recipe(recipe, animal_text, tmp_path / "run", resume=True)
    resumed, other = ft.load(tmp_path / "run"), ft.load(tmp_path / "whole")
    assert np.array_equal(resumed.embed(TEXTS), other.embed(TEXTS))
