"""`ft.distill`: one call for both forms, equal to the verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import Interrupted, SettingError
from foretext.language_model import LanguageModel
from foretext.pretraining.distill import distill_network, student_of
from foretext.pretraining.pretraining import run_recipe
from foretext.progress.checkpoint import Checkpoints
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.cli.conftest import (
    Command,
    command,  # noqa: F401  a fixture
)
from tests.language_model.models import SENTENCES, bert
from tests.task_files import language_model


def test_static_vectors_are_those_of_the_verb(
    tmp_path: Path,
    command: Command,  # noqa: F811
) -> None:
    bert().save(tmp_path / "bert")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n\n".join(SENTENCES * 5) + "\n")
    made = ft.distill(tmp_path / "bert", tmp_path / "by-python", corpus, dim=4, num_texts=10)
    options = ("--corpus", corpus, "--dim", 4, "--num-texts", 10)
    assert command("distill", tmp_path / "bert", "-o", tmp_path / "by-verb", *options).code == 0
    texts = SENTENCES[:2]
    for folder in ("by-python", "by-verb"):
        np.testing.assert_array_equal(ft.load(tmp_path / folder).embed(texts), made.embed(texts))


def test_a_network_has_fewer_layers(tmp_path: Path) -> None:
    settings = {"training": {"steps": 2, "valid_steps": 2}}
    made = ft.distill(
        bert(), None, ft.texts(SENTENCES * 20), into="network", layers=1, settings=settings
    )
    assert isinstance(made.model, LanguageModel)
    assert made.model.backbone.num_layers == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": 2}, "layers has no effect on into = 'static'"),
        ({"num_texts": 5}, "num_texts has no effect without corpus"),
        ({"into": "network", "layers": 1}, "needs corpus, a text to learn on, and layers"),
        ({"into": "network", "corpus": "corpus.txt"}, "needs corpus, a text to learn on"),
        ({"into": "network", "dim": 8}, "dim has no effect on into = 'network'"),
        ({"dimm": 8}, "dimm"),
    ],
)
def test_options_without_effect_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ft.distill("no-model", **options)


@pytest.fixture(scope="module")
def teacher(wordpiece: SubwordTokenizer) -> LanguageModel:
    return language_model("bert", wordpiece)


def test_a_student_starts_from_layers_of_its_teacher(teacher: LanguageModel) -> None:
    student = student_of(teacher, 1)
    theirs, own = teacher.backbone.state_dict(), student.backbone.state_dict()
    assert student.backbone.num_layers == 1
    assert all(torch.equal(weight, theirs[name]) for name, weight in own.items())
    heads = student.objective.state_dict().items()  # type: ignore[union-attr]
    known = teacher.objective.state_dict()  # type: ignore[union-attr]
    assert all(torch.equal(weight, known[name]) for name, weight in heads)


def test_layers_are_taken_at_equal_distances(teacher: LanguageModel) -> None:
    kept = teacher.backbone.student(2).kept_layers  # type: ignore[attr-defined]
    assert (kept(2), kept(6), kept(12)) == ([0, 1], [0, 5], [0, 11])


def test_a_narrower_student_has_random_weights(teacher: LanguageModel) -> None:
    student = student_of(teacher, 2, 16)
    assert student.backbone.dim == 16
    assert student.backbone.embedding.shape == (teacher.tokenizer.vocab_size, 16)


@pytest.mark.parametrize(
    ("layers", "width", "sentence"),
    [
        (3, None, "--layers 3: the teacher has 2 layers of width 32; give fewer"),
        (1, 64, "of width 32; give fewer, or a smaller --width"),
        (
            1,
            17,
            "--width 17 cannot be divided among 1 heads of an even width; give",
        ),
    ],
)
def test_what_is_not_smaller_is_refused(
    layers: int, width: int | None, sentence: str, teacher: LanguageModel
) -> None:
    with pytest.raises(SettingError, match=sentence):
        student_of(teacher, layers, width)


def test_a_student_keeps_the_form_of_its_teacher(
    teacher: LanguageModel, animal_text: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=r"\[backbone\] cannot be chosen: a student has the"):
        distill_network(teacher, animal_text, tmp_path / "run", layers=1,
                        settings={"backbone": {"dim": 8}})  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_a_gpt_is_refused(byte_bpe: SubwordTokenizer) -> None:
    with pytest.raises(SettingError, match="The teacher fills no masks"):
        student_of(language_model("gpt", byte_bpe), 1)


def test_a_run_and_its_resume(
    teacher: LanguageModel, animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: weight.clone() for name, weight in teacher.backbone.state_dict().items()}
    training = {"steps": 6, "valid_steps": 3, "checkpoint_seconds": 0.0, "precision": "fp32"}
    more: dict[str, Any] = {"layers": 1, "settings": {"training": training}}
    done = distill_network(teacher, animal_text, tmp_path / "run", **more)
    assert isinstance(done.model, LanguageModel)
    assert done.history[-1]["step"] == 6
    assert {"teacher", "states"} <= {name.removesuffix("_loss") for name in done.history[-1]}
    kept = ft.load(tmp_path / "run")
    assert kept.backbone.num_layers == 1
    assert kept.fill("the [MASK] barks in the morning .")
    after = teacher.backbone.state_dict()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
    save, count = Checkpoints.save, [0]

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        count[0] += 1
        if count[0] == 3:
            raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            distill_network(teacher, animal_text, tmp_path / "cut", **more)
    distill_network(teacher, animal_text, tmp_path / "cut", resume=True, **more)
    whole, cut = (RunFolder(tmp_path / name).path / "model.safetensors" for name in ("run", "cut"))
    assert whole.read_bytes() == cut.read_bytes()


def test_a_deberta_has_students(animal_text: Path, tmp_path: Path) -> None:
    steps = {"steps": 2, "valid_steps": 2}
    shape = ["tokenizer.vocab_size=400", "backbone.num_layers=2", "backbone.dim=32"]
    recipe = Recipe.load("deberta", [*shape, "training.steps=2", "objective.row_length=32"])
    run_recipe(recipe, animal_text, tmp_path / "run")
    distill_network(
        tmp_path / "run", animal_text, tmp_path / "small", layers=1, settings={"training": steps}
    )
    kept = ft.load(tmp_path / "small")
    assert kept.backbone.num_layers == 1
    assert kept.fill("the [MASK] barks in the morning .")
