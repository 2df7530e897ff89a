"""A language model that is trained past its best: which weights stay, and what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.pretraining.best_weights import ending_warning
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.training.kept_record import kept_record
from tests.vectors.texts import write_topics

SMALL = ["tokenizer.vocab_size=280", "data.valid_rate=0.2", "training.learning_rate=0.1"]
SMALL += ["backbone.num_layers=1", "backbone.dim=32", "backbone.num_heads=2", "training.seed=3"]


def learned(folder: Path, *settings: str, budget: str | None = None) -> tuple[dict[str, Any], Any]:
    """Train on little text for long; returns the facts and the records."""
    corpus = write_topics(folder / "topics.txt", documents=30, seed=2)
    recipe = Recipe.load("gpt", [*SMALL, *settings])
    ft.pretrain(recipe, corpus, folder / "run", budget=budget, quiet=True)
    lines = (folder / "run" / "metrics.jsonl").read_text().splitlines()
    return RunFolder(folder / "run").facts(), list(map(json.loads, lines))


@pytest.mark.slow
def test_the_figures_are_those_of_the_weights_that_are_kept(tmp_path: Path) -> None:
    facts, records = learned(
        tmp_path, "training.steps=40", "training.schedule=constant", "training.keep=best"
    )
    losses = [each["valid_loss"] for each in records if "valid_loss" in each]
    assert facts["valid_loss"] == min(losses)
    assert f"{min(losses):.4f}" in (tmp_path / "run" / "README.md").read_text()


def rising(losses: list[float]) -> list[dict[str, float]]:
    return [
        {"step": 10.0 * number, "epoch": number / 2, "loss": 1.0, "valid_loss": loss}
        for number, loss in enumerate(losses, 1)
    ]


def test_a_rise_is_said_with_the_step_and_what_helps() -> None:
    history = [*rising([3.0, 2.5, 2.7, 3.1]), {"step": 45.0, "epoch": 2.2, "loss": 0.9}]
    assert ending_warning(history, keep="last") is None  # the end was not measured
    history = history[:4]
    said = str(ending_warning(history, keep="last"))
    assert "lowest after step 20.0, epoch 1 (2.5), and is 3.1 after step 40.0" in said
    assert "set training.keep=best" in said
    assert "the weights of step 20.0 are kept" in str(ending_warning(history, keep="best"))
    assert kept_record(history, keep="best")["valid_loss"] == 2.5
    assert kept_record(history, keep="last")["valid_loss"] == 3.1


def test_a_loss_that_falls_or_was_never_measured_is_no_rise() -> None:
    assert ending_warning(rising([3.0, 2.5, 2.51]), keep="last") is None
    assert ending_warning([{"step": 3, "epoch": 1.0, "loss": 2.0}], keep="best") is None


def test_the_best_of_a_figure_that_is_better_when_higher() -> None:
    history = [{"step": n, "epoch": n, "valid_f1": f1} for n, f1 in enumerate([0.2, 0.9, 0.4])]
    kept = kept_record(history, keep="best", judged_by="valid_f1", higher_is_better=True)
    assert (kept["valid_f1"], kept["kept_step"], kept["step"]) == (0.9, 1, 2)


@pytest.mark.slow
def test_a_budget_keeps_the_best_weights(tmp_path: Path) -> None:
    facts, records = learned(tmp_path, budget="30s")
    losses = [each["valid_loss"] for each in records if "valid_loss" in each]
    assert facts["valid_loss"] == min(losses)
    assert 'keep = "best"' in (tmp_path / "run" / "recipe.toml").read_text()
