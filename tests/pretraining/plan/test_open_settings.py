"""What a plan fills in, and what it leaves alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch

from foretext.pretraining.building import check_model
from foretext.pretraining.plan import open_settings
from foretext.pretraining.plan.open_settings import (
    chosen_shape,
    default_budget,
    row_length_for,
    rows_per_step,
    scaled_init_std,
    scaled_learning_rate,
    settings_by_choice,
    settings_by_model,
    settings_by_rules,
    settings_by_time,
    settings_by_width,
    vocab_size_for,
)
from foretext.pretraining.plan.size import Candidate
from foretext.recipe import Recipe

SMALL = Candidate("small", 4, 512, 8, 17_000_000, 12_600_000, 10**9, 500.0, 1_000_000, 0.1, 5.0)


def test_all_that_nobody_chose() -> None:
    recipe = Recipe.load("bert")
    assert not chosen_shape(recipe)
    assert settings_by_rules(recipe, 5e6, 60.0) == {
        "tokenizer": {"vocab_size": 8_000},
        "objective": {"row_length": 128},
        "training": {"batch_examples": 16},
        "backbone": {"max_length": 128},
    }
    chosen = settings_by_choice(recipe, SMALL, 10**7)
    shape = {"num_layers": 4, "dim": 512, "num_heads": 8}
    assert chosen["backbone"] == {**shape, "init_std": 0.031}
    assert chosen["training"].keys() == {"learning_rate"}
    assert chosen["data"]["valid_rate"] == pytest.approx(0.0015)


def pretend(monkeypatch: pytest.MonkeyPatch, device: str, flops: float) -> None:
    """Let all recipes choose a device of that speed."""
    monkeypatch.setattr(open_settings, "choose_device", lambda _: torch.device(device))
    monkeypatch.setattr(open_settings, "choose_dtype", lambda *_: torch.bfloat16)
    monkeypatch.setattr(open_settings, "peak_flops", lambda *_: flops)


@pytest.mark.parametrize(
    ("device", "flops", "seconds", "length", "rows"),
    [
        ("cpu", 8e14, 400.0, 128, 16),  # a processor's time is taken as it is
        ("cuda", 8e14, 400.0, 512, 128),  # nine days of two cores: 512 rows of 128 at a time
        ("cuda", 8e14, 60.0, 512, 32),  # a day and a half
        ("mps", 8e12, 300.0, 256, 32),  # an hour and forty minutes
        ("cuda", 4e11, 400.0, 128, 16),
    ],
)
def test_the_time_of_a_gpu_counts_as_what_two_cores_would_do(
    monkeypatch: pytest.MonkeyPatch,
    device: str,
    flops: float,
    seconds: float,
    length: int,
    rows: int,
) -> None:
    pretend(monkeypatch, device, flops)
    recipe = Recipe.load("bert")
    for found in (settings_by_rules(recipe, 5e6, seconds), settings_by_time(recipe, seconds, 512)):
        assert found["objective"] == {"row_length": length}
        assert found["training"] == {"batch_examples": rows}


def test_a_base_on_a_gpu_keeps_rows_that_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "cuda", 8e14)
    found = settings_by_time(Recipe.load("modern-bert"), 400.0, 64)
    assert found["objective"] == {"row_length": 64}
    assert found["training"] == {"batch_examples": 1024}


def test_rows_that_go_on_and_words_stay_as_they_are() -> None:
    recipe = Recipe.load("lstm-lm")
    assert settings_by_rules(recipe, 5e6, 60.0) == {}
    apart = Recipe.load("lstm-lm", ["objective.carry_state=false"])
    assert settings_by_rules(apart, 5e6, 60.0).keys() == {"objective", "training"}
    pieces = Recipe.load("lstm-lm", ["tokenizer.name=bpe"])
    assert settings_by_rules(pieces, 5e6, 60.0) == {"tokenizer": {"vocab_size": 8_000}}


def test_rotary_positions_need_no_training() -> None:
    assert "backbone" not in settings_by_rules(Recipe.load("modern-bert"), 5e6, 60.0)


@pytest.mark.parametrize(
    "chosen",
    [
        "tokenizer.vocab_size=500",
        "objective.row_length=64",
        "training.batch_examples=8",
        "backbone.max_length=64",
        "backbone.dim=128",
        "training.learning_rate=0.01",
        "backbone.init_std=0.02",
        "data.valid_rate=0.2",
        "training.keep='last'",
    ],
)
def test_what_a_user_chose_stays(chosen: str) -> None:
    recipe = Recipe.load("bert", [chosen])
    rules = settings_by_rules(recipe, 5e6, 60.0)
    choices = settings_by_choice(recipe, SMALL, 100)
    section, _, setting = chosen.partition("=")[0].partition(".")
    assert setting not in rules.get(section, {})
    assert setting not in choices.get(section, {})


def test_a_size_is_a_choice() -> None:
    recipe = Recipe.load("bert-tiny")
    assert chosen_shape(recipe)
    assert settings_by_choice(recipe, SMALL, 10**7)["backbone"].keys() == {"init_std"}


def test_all_of_a_file_is_a_choice(tmp_path: Path) -> None:
    Recipe.load("bert-tiny").save(tmp_path / "mine.toml")
    recipe = Recipe.load(tmp_path / "mine.toml")
    assert settings_by_rules(recipe, 5e6, 60.0)["objective"] == {"row_length": 128}  # was None
    assert not settings_by_rules(recipe, 5e6, 60.0)["backbone"]
    assert not settings_by_rules(recipe, 5e6, 60.0)["training"]
    assert not any(settings_by_width(recipe).values())


def test_rate_and_first_weights_fit_the_width() -> None:
    narrow, wide = (settings_by_width(Recipe.load("bert"), dim) for dim in (256, 1024))
    assert settings_by_width(Recipe.load("bert-large")) == wide
    for section, name, times in (("training", "learning_rate", 4), ("backbone", "init_std", 2)):
        assert wide[section][name] == pytest.approx(narrow[section][name] / times, rel=0.05)
    chosen = Recipe.load("bert", ["training.learning_rate=0.3", "backbone.init_std=0.02"])
    assert settings_by_width(chosen) == {"training": {}, "backbone": {}}


@pytest.mark.parametrize(
    ("settings", "planned"),
    [
        ([], {"short_row_rate", "stacking_rate"}),
        (["training.compile=true"], set()),
        (["training.freeze_layers=1"], {"short_row_rate"}),
        (["training.freeze='embeddings'"], {"short_row_rate"}),
        (["training.freeze='backbone'"], set()),
        (["training.short_row_rate=0.0"], {"stacking_rate"}),
    ],
)
def test_what_a_training_may_begin_with(settings: list[str], planned: set[str]) -> None:
    recipe = Recipe.load("modern-bert-tiny", settings)
    model = check_model(Recipe.load("modern-bert-tiny"))
    assert settings_by_model(recipe, model)["training"].keys() == planned


def test_a_text_read_often_keeps_the_best_weights() -> None:
    assert settings_by_choice(Recipe.load("bert"), SMALL, 100_000)["training"]["keep"] == "best"
    unjudged = Recipe.load("bert", ["data.valid_rate=0.0"])
    assert "keep" not in settings_by_choice(unjudged, SMALL, 100_000)["training"]


@pytest.mark.parametrize(
    ("seconds", "max_length", "length", "rows"),
    [(45.0, 512, 128, 16), (45.0, 64, 64, 32), (7_200.0, 512, 256, 32)],
)
def test_rows_of_a_network_that_is_there_already(
    seconds: float, max_length: int, length: int, rows: int
) -> None:
    found = settings_by_time(Recipe.load("bert"), seconds, max_length)
    assert found == {"objective": {"row_length": length}, "training": {"batch_examples": rows}}


def test_rows_that_a_user_chose_decide_the_batch() -> None:
    recipe = Recipe.load("gpt", ["objective.row_length=512"])
    found = settings_by_time(recipe, 45.0, 1024)
    assert found == {"objective": {}, "training": {"batch_examples": 4}}
    both = Recipe.load("gpt", ["objective.row_length=512", "training.batch_examples=9"])
    assert not any(settings_by_time(both, 45.0, 1024).values())


def test_nobody_waits_longer_than_half_an_hour_unasked() -> None:
    budgets = [default_budget(10.0**power) for power in range(3, 12)]
    assert budgets[0] < 60
    assert budgets[-1] == 1800
    assert budgets == sorted(budgets)
    assert default_budget(10e6) == pytest.approx(600)


def test_vocabularies_grow_with_texts() -> None:
    sizes = [vocab_size_for(size) for size in (1e5, 1e7, 1e8, 1e10)]
    assert all(small < large for small, large in pairwise(sizes))


@pytest.mark.parametrize("seconds", [30, 600, 1800, 7200, 86_400])
def test_a_step_has_as_many_tokens_whatever_the_rows(seconds: float) -> None:
    length = row_length_for(seconds)
    assert rows_per_step(seconds, length) * length == rows_per_step(seconds, 128) * 128


def test_wide_models_learn_at_lower_rates() -> None:
    assert scaled_learning_rate(1e-3, 256) == 1e-3
    assert scaled_learning_rate(1e-3, 1024) == 2.5e-4


def test_narrow_models_begin_with_larger_weights() -> None:
    assert scaled_init_std(128) == pytest.approx(0.062)
    assert scaled_init_std(768) == pytest.approx(0.025)
