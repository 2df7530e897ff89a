"""Networks that read few tokens at once, and texts of few words, are learned or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError
from foretext.pretraining.building import check_model
from foretext.pretraining.pretraining import run_recipe
from foretext.run_folder import RunFolder
from tests.contracts.pairs import LAWFUL, Pair, small_recipe

LEAST = {"causal_lm": 2, "bidirectional_lm": 2}  # tokens of a row; of the other objectives eight
WORDS = ("alpha", "beta", "gamma", "delta", "more", "again")
MIN_COUNT = {"bidirectional_lm": ["tokenizer.min_count=1"]}
HAVE_A_LENGTH = [
    pair for pair in LAWFUL if "max_length" in BACKBONES.resolve(pair.backbone).Config.model_fields
]
ONE_STEP = ("training.steps=1", "training.valid_steps=1")


@pytest.mark.quick_cases(17)
@pytest.mark.parametrize("length", [2, 5, 7, 8])
@pytest.mark.parametrize("pair", HAVE_A_LENGTH, ids=str)
def test_a_network_that_reads_too_little_is_refused(pair: Pair, length: int) -> None:
    recipe = small_recipe(pair, f"backbone.max_length={length}", *_fitting(pair))
    if length >= LEAST.get(pair.objective, 8):
        assert check_model(recipe).objective.row_length == length
    else:
        with pytest.raises(SettingError, match=r"set backbone.max_length = 8 or more"):
            check_model(recipe)


SHORT = [
    *((each, "backbone.max_length=8") for each in dict.fromkeys(pair.objective for pair in LAWFUL)),
    ("prefix_lm", "objective.row_length=8"),
]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("objective", "setting"), SHORT)
def test_rows_of_eight_tokens_are_learned_and_shown(
    objective: str, setting: str, animal_text: Path, tmp_path: Path
) -> None:
    pair = next(pair for pair in LAWFUL if pair.objective == objective)
    if pair.backbone == "elmo":
        setting = "objective.row_length=8"
    recipe = small_recipe(pair, setting, *ONE_STEP, *_fitting(pair))
    run_recipe(recipe, animal_text, tmp_path / "run", report=True)
    assert RunFolder(tmp_path / "run").finished


@pytest.mark.parametrize("text", ["word\n", "word\nother\n", "\n\n".join(WORDS) + "\n"])
@pytest.mark.parametrize("objective", ["bidirectional_lm", "causal_lm"])
def test_lines_of_one_word_are_learned(objective: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(text, encoding="utf-8")
    pair = next(pair for pair in LAWFUL if pair.objective == objective)
    recipe = small_recipe(pair, *ONE_STEP, *MIN_COUNT.get(objective, []))
    run_recipe(recipe, tmp_path / "words.txt", tmp_path / "run")
    assert RunFolder(tmp_path / "run").finished


def _fitting(pair: Pair) -> list[str]:
    """What a backbone needs where rows are short."""
    return ["backbone.num_buckets=4"] if pair.backbone == "deberta" else []
