"""What runs share: made once, the same to the bit, and never in each other's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foretext.base.errors import OutputError
from foretext.corpus import Corpus
from foretext.data.token_file import Tokens
from foretext.pretraining.plan import planner
from foretext.pretraining.planning import plan_network
from foretext.pretraining.pretraining import run_recipe
from foretext.pretraining.shared import SharedFolder, SharedPart, shared_parts
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from tests.pretraining.test_language_models import small

VECTORS = ["tokenizer.min_count=1", "vectors.epochs=1", "vectors.vector_size=8"]


def files(folder: Path) -> dict[str, bytes]:
    """What a run keeps of its text, and what it has learned of it."""
    names = [*folder.glob("tokens/*/*"), *folder.glob("*.safetensors"), *folder.glob("*.tsv")]
    names.append(folder / "tokenizer.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def used(folder: Path) -> list[tuple[str, bool]]:
    return [(part.what, part.made) for part in shared_parts(RunFolder(folder))]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("recipe", ["bert", "gpt", "ernie"])
def test_a_language_model_is_the_same_with_what_others_made(
    recipe: str, animal_text: Path, tmp_path: Path
) -> None:
    settings = small(recipe, "training.steps=2")
    run_recipe(settings, animal_text, tmp_path / "alone")
    run_recipe(settings, animal_text, tmp_path / "first", shared=tmp_path / "shared")
    run_recipe(settings, animal_text, tmp_path / "second", shared=tmp_path / "shared")
    assert files(tmp_path / "first") == files(tmp_path / "alone")
    assert files(tmp_path / "second") == files(tmp_path / "alone")
    assert used(tmp_path / "first") == [("tokenizers", True), ("ids", True)]
    assert used(tmp_path / "second") == [("tokenizers", False), ("ids", False)]
    assert not (tmp_path / "alone" / "shared.json").exists()


@pytest.mark.parametrize("recipe", ["word2vec", "glove", "fasttext"])
def test_word_vectors_are_the_same_with_what_others_made(
    recipe: str, animal_text: Path, tmp_path: Path
) -> None:
    settings = Recipe.load(recipe, [*VECTORS, "vectors.workers=1"])
    other = Recipe.load("word2vec", ["tokenizer.min_count=1", "vectors.epochs=1"])
    run_recipe(other, animal_text, tmp_path / "other", shared=tmp_path / "shared")
    run_recipe(settings, animal_text, tmp_path / "alone")
    run_recipe(settings, animal_text, tmp_path / "run", shared=tmp_path / "shared")
    assert files(tmp_path / "run") == files(tmp_path / "alone")
    assert used(tmp_path / "run") == [("words", False)]


def test_chinese_words_are_cut_once_for_all(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    text, shared = tmp_path / "text.txt", tmp_path / "shared"
    text.write_text("北京是中国的首都。\n\n我们在北京学习中文。\n\n" * 50, encoding="utf-8")
    settings = Recipe.load("word2vec", [*VECTORS, "vectors.workers=1"])
    run_recipe(settings, text, tmp_path / "alone")
    run_recipe(settings, text, tmp_path / "first", shared=shared)
    run_recipe(settings, text, tmp_path / "second", shared=shared)
    assert "北京" in (tmp_path / "alone" / "vocabulary.tsv").read_text(encoding="utf-8")
    assert files(tmp_path / "first") == files(tmp_path / "alone")
    assert files(tmp_path / "second") == files(tmp_path / "alone")
    assert used(tmp_path / "second") == [("words", False)]


def test_other_settings_or_another_text_take_nothing(animal_text: Path, tmp_path: Path) -> None:
    text, shared = tmp_path / "text.txt", tmp_path / "shared"
    text.write_bytes(animal_text.read_bytes() * 2)
    half, some = text.stat().st_size // 2, small("bert", "training.steps=1")
    fewer = small("bert", "training.steps=1", "tokenizer.vocab_size=80")
    run_recipe(some, text, tmp_path / "1", shared=shared)
    run_recipe(fewer, text, tmp_path / "2", shared=shared)
    run_recipe(some, text, tmp_path / "3", shared=shared, text_bytes=half)
    os.utime(text, ns=(0, 0))  # as after a change
    run_recipe(some, text, tmp_path / "4", shared=shared)
    for run in "1234":
        assert used(tmp_path / run) == [("tokenizers", True), ("ids", True)], run


def test_another_objective_takes_the_tokenizer_and_the_ids(
    animal_text: Path, tmp_path: Path
) -> None:
    for recipe in ("modern-bert", "electra", "unilm"):
        settings = small(recipe, "training.steps=1")
        run_recipe(settings, animal_text, tmp_path / recipe, shared=tmp_path / "shared")
    assert used(tmp_path / "modern-bert") == [("tokenizers", True), ("ids", True)]
    assert used(tmp_path / "electra") == used(tmp_path / "unilm")
    assert used(tmp_path / "unilm") == [("tokenizers", False), ("ids", False)]


def test_a_run_and_the_shared_folder_cannot_damage_each_other(
    animal_text: Path, tmp_path: Path
) -> None:
    settings, shared = small("bert", "training.steps=1"), tmp_path / "shared"
    run_recipe(settings, animal_text, tmp_path / "first", shared=shared)
    for path in [
        *(tmp_path / "first" / "tokens").rglob("*.bin"),
        tmp_path / "first/tokenizer.json",
    ]:
        path.write_bytes(b"damaged")
    run_recipe(settings, animal_text, tmp_path / "second", shared=shared)
    assert used(tmp_path / "second") == [("tokenizers", False), ("ids", False)]


def test_a_budget_cuts_no_text_that_is_shared(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for share in ("READING_RATE", "LEAST_READING_RATE"):
        monkeypatch.setattr(planner, share, 0.0)  # no time to read anything
    text, shared = Corpus(animal_text), SharedFolder(tmp_path)
    plan = plan_network(small("bert"), text, 600.0, shared=shared, is_fixed=True)
    assert plan.text_rate == 1.0
    assert plan.preparation_seconds == 0.0
    assert [part.what for part in shared.used] == ["tokenizers", "ids"]
    tokens = Tokens.open(next(tmp_path.glob("ids/*/tokens"))).train
    assert plan.corpus_tokens == tokens.num_tokens


def test_a_run_says_how_much_of_the_corpus_it_read(animal_text: Path, tmp_path: Path) -> None:
    settings, half = small("bert", "training.steps=1"), animal_text.stat().st_size // 2
    run_recipe(settings, animal_text, tmp_path / "run", text_bytes=half)
    assert RunFolder(tmp_path / "run").facts()["text_rate"] == pytest.approx(0.5, abs=0.01)
    assert shared_parts(RunFolder(tmp_path / "run")) == []


def test_a_part_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("half of it")
        raise ValueError("no more")

    shared = SharedFolder(tmp_path / "shared")
    with pytest.raises(ValueError, match="no more"):
        shared.part("ids", ("a text",), fail)
    assert shared.used == []
    made = shared.part("ids", ("a text",), lambda folder: (folder / "all").write_text("all of it"))
    assert sorted(path.name for path in made.iterdir()) == ["all", "made.json"]
    assert [part.made for part in shared.used] == [True]


def test_the_seconds_of_a_part_are_those_of_the_run_that_made_it(tmp_path: Path) -> None:
    first, second = SharedFolder(tmp_path), SharedFolder(tmp_path)
    made = first.part("ids", ("a text",), lambda folder: None)
    (made / "made.json").write_text('{"seconds": 12.5}')
    second.part("ids", ("a text",), lambda folder: pytest.fail("it is there"))
    second.part("ids", ("a text",), lambda folder: pytest.fail("it is there"))
    assert second.used == [SharedPart("ids", made.name, 12.5, made=False)]


def test_damage_is_refused_with_a_sentence(tmp_path: Path) -> None:
    made = SharedFolder(tmp_path).part("ids", ("a text",), lambda folder: None)
    (made / "made.json").write_text('{"seconds": "soon"}')
    with pytest.raises(OutputError, match=r"made\.json is damaged"):
        SharedFolder(tmp_path).part("ids", ("a text",), lambda folder: None)


KILLED = """
import os, signal, sys
from foretext.pretraining.shared import SharedFolder
def half(folder):
    (folder / "half").write_text("half of it")
    os.kill(os.getpid(), signal.SIGKILL)
SharedFolder(sys.argv[1]).part("ids", ("a text",), half)
"""


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob("half"))) == 1
    made = SharedFolder(tmp_path).part("ids", ("another text",), lambda folder: None)
    assert [path.name for path in (tmp_path / "ids").iterdir()] == [made.name]
