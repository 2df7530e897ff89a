"""From a text file to a language model that others open: the whole line, small."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import OutputError, SettingError
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.report.run_report import report_run
from tests.processes import run_here, started

SMALL = [
    "tokenizer.vocab_size=400",
    "backbone.num_layers=2",
    "backbone.dim=32",
    "backbone.num_heads=2",
    "backbone.max_length=64",
    "objective.row_length=32",
    "training.batch_examples=16",
    "training.precision='fp32'",
]


def small(recipe: str, *settings: str) -> Recipe:
    return Recipe.load(recipe, [*SMALL, "training.steps=20", *settings])


@pytest.fixture(scope="module", params=["bert", "gpt", "modern-bert", "modern-gpt"])
def run(request: pytest.FixtureRequest, animal_text: Path, tmp_path_factory: Any) -> RunFolder:
    folder = tmp_path_factory.mktemp(request.param) / "run"
    run_recipe(small(request.param), animal_text, folder)
    return RunFolder(folder)


def test_a_run_holds_what_was_learned(run: RunFolder) -> None:
    assert run.finished
    assert run.kind == "language model"
    assert not run.checkpoints.exists()
    records = [json.loads(line) for line in run.metrics.read_text().splitlines()]
    assert records[-1]["step"] == 20
    assert records[-1]["valid_loss"] < records[0]["loss"]
    said = [json.loads(line) for line in run.samples.read_text().splitlines()]
    assert said[0]["samples"] != said[-1]["samples"]
    assert Recipe.load(run.recipe).sections()["training"]["steps"] == 20


def test_it_opens_again_and_is_used(run: RunFolder) -> None:
    model = ft.load(run.path)
    assert isinstance(model, ft.LanguageModel)
    assert model.embed(["the dog barks", "a cat"]).shape == (2, 32)
    if model.tokenizer.special.mask is None:
        assert model.generate("the dog", max_new_tokens=5)[0].ids
    else:
        answers = model.fill("the dog [MASK] again", topn=3)[0]
        assert len(answers) == 3


def test_console_page_and_model_count_the_same_parameters(run: RunFolder) -> None:
    facts = json.loads((run.path / "config.json").read_text())["foretext"]["facts"]
    assert ft.load(run.path).size == {name: facts[name] for name in ("parameters", "vocab_size")}
    assert f"{facts['parameters']:,} parameters" in report_run(run.path).read_text("utf-8")


def test_its_page_shows_curves_and_samples(run: RunFolder) -> None:
    page = report_run(run.path).read_text(encoding="utf-8")
    assert "What it said while it learned" in page
    assert 'data-chart="loss"' in page
    assert "the " in page


def test_the_card_says_how_to_use_it(run: RunFolder) -> None:
    card = run.card.read_text(encoding="utf-8")
    assert "ft.load(" in card
    assert "held-out loss" in card


@pytest.mark.parametrize(
    ("settings", "their_class"),
    [
        ((), "BertForPreTraining"),
        (("backbone.positions='sinusoidal'",), None),
        (("backbone.norm='rms'",), None),
        (("objective.activation='relu'",), None),
    ],
)
def test_the_card_says_who_opens_the_folder(
    settings: tuple[str, ...], their_class: str | None, animal_text: Path, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    recipe = small("bert", "training.steps=2", *settings)
    run_recipe(recipe, animal_text, tmp_path / "run")
    card = (tmp_path / "run" / "README.md").read_text(encoding="utf-8")
    if their_class is not None:
        assert "AutoModel.from_pretrained" in card
        assert f"a `{their_class}`" in card
        assert transformers.AutoConfig.from_pretrained(tmp_path / "run").model_type == "bert"
    else:
        assert "AutoModel" not in card
        assert "Only foretext opens this folder" in card
        with pytest.raises(ValueError, match="foretext"):
            transformers.AutoConfig.from_pretrained(tmp_path / "run")


def test_what_is_returned_is_what_was_kept(animal_text: Path, tmp_path: Path) -> None:
    model = run_recipe(small("bert"), animal_text, tmp_path / "run").model
    assert isinstance(model, ft.LanguageModel)
    kept = ft.load(tmp_path / "run").embed(["the owl hoots"])
    assert np.allclose(model.embed(["the owl hoots"]), kept, atol=1e-6)


def test_going_on_from_a_body(animal_text: Path, tmp_path: Path) -> None:
    recipe = small("gpt", "training.steps=60", "training.learning_rate=3e-3")
    first = run_recipe(recipe, animal_text, tmp_path / "first")
    more = run_recipe(
        small("gpt", "training.steps=2"), animal_text, tmp_path / "more", base=tmp_path / "first"
    )
    assert more.history[0]["loss"] < first.history[0]["loss"] - 0.5


def test_layers_of_a_base_are_not_stacked(animal_text: Path, tmp_path: Path) -> None:
    base = run_recipe(small("gpt", "training.steps=1"), animal_text, tmp_path / "base").model
    stacking = small("gpt", "training.steps=2", "training.stacking_rate=0.5")
    with pytest.raises(SettingError, match="write over layers that the base has learned"):
        run_recipe(stacking, animal_text, tmp_path / "run", base=base)
    assert not (tmp_path / "run").exists()


def test_word_vectors_are_no_body(animal_text: Path, tmp_path: Path) -> None:
    vectors = ft.Word2Vec(min_count=1, epochs=1).fit(animal_text).vectors_
    with pytest.raises(SettingError, match="cannot be pretrained further from word vectors"):
        run_recipe(small("bert"), animal_text, tmp_path / "run", base=vectors)


def test_without_documents_next_sentences_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "lines.txt"
    text.write_text("the dog barks\n" * 300)
    learned = run_recipe(small("bert"), text, tmp_path / "run", quiet=False)
    assert "next_sentence is left out" in capsys.readouterr().err
    assert "next_sentence_loss" not in learned.history[-1]


def test_a_text_of_less_than_a_batch(tmp_path: Path) -> None:
    text = tmp_path / "short.txt"
    text.write_text("one dog and two cats\n\nthree cows and a hen\n")
    learned = run_recipe(small("gpt", "training.steps=3"), text, tmp_path / "run")
    assert learned.history[-1]["step"] == 3


def test_a_vocabulary_that_the_text_does_not_support(
    animal_text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_recipe(small("bert", "training.steps=2"), animal_text, tmp_path / "run", quiet=False)
    assert "not the 400 of tokenizer.vocab_size" in capsys.readouterr().err


def test_a_text_that_the_tokenizer_cannot_spell_is_told_of(
    animal_text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = small("bert", "training.steps=2", "tokenizer.limit_alphabet=12")
    run_recipe(recipe, animal_text, tmp_path / "run", quiet=False)
    assert (
        "of the tokens are [UNK], from which nothing is learned; raise" in capsys.readouterr().err
    )


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("budget", [None, 4.0])
def test_standard_input_is_read_by_all_that_need_it(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float | None
) -> None:
    """A plan, the tokenizer and the encoding each read the text; a stream comes but once."""
    text = io.TextIOWrapper(io.BytesIO(animal_text.read_bytes()))
    monkeypatch.setattr(sys, "stdin", text)
    recipe = small("gpt") if budget is None else Recipe.load("gpt-tiny")
    learned = run_recipe(recipe, "-", tmp_path / "run", budget=budget)
    assert learned.history[-1]["step"] > 0


def test_a_run_is_not_replaced_unasked(animal_text: Path, run: RunFolder) -> None:
    with pytest.raises(OutputError, match="--overwrite"):
        run_recipe(small("bert"), animal_text, run.path)


def command(recipe: str, text: Path, run: Path, *flags: str) -> list[str]:
    """The command that a person types."""
    settings = [part for setting in SMALL for part in ("--set", setting)]
    base = [sys.executable, "-m", "foretext", "pretrain", recipe, str(text), "-o", str(run)]
    return [*base, "--no-report", *settings, *flags]


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_killed_run_ends_in_the_same_bits(
    how: signal.Signals, animal_text: Path, tmp_path: Path
) -> None:
    flags = ("--set", "training.epochs=2", "--set", "training.checkpoint_seconds=0.0")
    flags = (*flags, "--set", "backbone.dropout=0.1")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run_here(command("bert", animal_text, whole, *flags))
    running = command("bert", animal_text, killed, *flags)
    with started(running, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while not list((killed / "checkpoints").glob("step-*")):
            assert process.poll() is None, process.stdout and process.stdout.read()
            time.sleep(0.01)
        process.send_signal(how)
        process.communicate(timeout=60)
    assert not RunFolder(killed).finished
    resumed = [*command("bert", animal_text, killed, *flags), "--resume"]
    run_here(resumed)
    weights = [(run / "model.safetensors").read_bytes() for run in (whole, killed)]
    assert weights[0] == weights[1]


def test_a_resume_with_another_recipe_is_refused(animal_text: Path, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.path.mkdir()
    run.begin()
    small("bert").save(run.recipe)
    with pytest.raises(SettingError, match=r"began with backbone\.dim = 32"):
        run_recipe(small("bert", "backbone.dim=64"), animal_text, run.path, resume=True)


@pytest.mark.slow
def test_torchrun_starts_the_same_command(animal_text: Path, tmp_path: Path) -> None:
    """And shares the optimizer's memory where asked."""
    alone, together = tmp_path / "alone", tmp_path / "together"
    steps = ("--set", "training.steps=6")
    subprocess.run(command("bert", animal_text, alone, *steps), check=True, capture_output=True)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    shard = ("--set", "training.sharding=optimizer")
    subprocess.run(
        [*torchrun, *command("bert", animal_text, together, *steps, *shard)[1:]],
        check=True,
        capture_output=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    losses = [
        [json.loads(line)["loss"] for line in (run / "metrics.jsonl").read_text().splitlines()]
        for run in (alone, together)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.slow
def test_torchrun_goes_by_a_plan(animal_text: Path, tmp_path: Path) -> None:
    """The first process times its trials alone, while the other one waits for the recipe."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    pretrain = ["-m", "foretext", "pretrain", "gpt", str(animal_text), "-o", str(tmp_path / "run")]
    subprocess.run(
        [*torchrun, *pretrain, "--budget", "20s", "--no-report"],
        check=True,
        capture_output=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    run = RunFolder(tmp_path / "run")
    assert run.finished
    assert run.plan.is_file()
