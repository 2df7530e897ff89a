"""The verbs of pretrained language models, on networks with random weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.terminal import visible
from foretext.heads.base import TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.tasks.classification.network import TextClassifier
from tests.cli.conftest import Command
from tests.language_model.models import SENTENCES, bert, gpt, unilm
from tests.sequence_networks import in_use


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders bert and gpt, and a text."""
    folder = tmp_path_factory.mktemp("models")
    bert().save(folder / "bert")
    gpt().save(folder / "gpt")
    (folder / "text.txt").write_text("".join(f"{sentence}\n" for sentence in SENTENCES))
    return folder


def test_fill_shows_each_mask(command: Command, models: Path) -> None:
    shown = command("fill", models / "bert", "the [MASK] of the [MASK]", "-n", 2)
    assert shown.code == 0
    assert "mask 1" in shown.out
    assert "mask 2" in shown.out
    asked = command("fill", models / "bert", "the [MASK] of the [MASK]", "-n", 2, "--json")
    answers = json.loads(asked.out)
    assert [len(mask) for mask in answers] == [2, 2]
    wanted = bert().fill("the [MASK] of the [MASK]", 2)
    assert [a["token"] for mask in answers for a in mask] == [a.token for m in wanted for a in m]


def test_generate_streams_what_python_gives(command: Command, models: Path) -> None:
    (wanted,) = gpt().generate("the king", 12, seed=3)
    streamed = command("generate", models / "gpt", "the king", "--max-new-tokens", 12, "--seed", 3)
    assert streamed.out == f"{wanted}\n"
    several = command(
        "generate", models / "gpt", "the king", "--max-new-tokens", 4, "--num-samples", 3, "--json"
    )
    assert [len(sample["ids"]) for sample in json.loads(several.out)] == [4, 4, 4]


def test_generate_after_a_source(command: Command, models: Path, tmp_path: Path) -> None:
    model = unilm()
    model.save(tmp_path / "unilm")
    (wanted,) = ft.LanguageModel.load(tmp_path / "unilm", precision="auto").generate(
        source="the king", max_new_tokens=6
    )
    arguments = ["--source", "the king", "--max-new-tokens", 6]
    assert command("generate", tmp_path / "unilm", *arguments).out == f"{wanted}\n"
    refused = command("generate", models / "gpt", *arguments)
    assert "learned to write after a source (UniLM, T5, BART)" in refused.err


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("objective", ["span_corruption", "text_infilling"])
def test_generate_before_a_suffix(
    command: Command, animal_text: Path, tmp_path: Path, objective: str
) -> None:
    run = tmp_path / "run"
    in_use(objective, animal_text).save(run)
    prompt, suffix = "the dog", " barks in the house"
    model = ft.LanguageModel.load(run, precision="auto")
    (wanted,) = model.generate(prompt, 6, suffix=suffix, seed=3)
    assert wanted.text
    arguments = [run, prompt, "--suffix", suffix, "--max-new-tokens", 6, "--seed", 3]
    assert command("generate", *arguments).out == visible(f"{wanted}{suffix}\n")
    several = command("generate", *arguments, "--num-samples", 2)
    both = model.generate(prompt, 6, suffix=suffix, seed=3, num_samples=2)
    assert several.out == visible("\n\n".join(f"{each}{suffix}" for each in both) + "\n")
    (asked,) = json.loads(command("generate", *arguments, "--json").out)
    assert (asked["prompt"], asked["text"]) == (prompt, wanted.text)
    (first,) = model.generate("", 6, suffix=suffix)
    alone = command("generate", run, "--suffix", suffix, "--max-new-tokens", 6)
    assert alone.out == visible(f"{first}{suffix}\n")


def test_generate_says_what_of_the_prompt_was_not_read(command: Command, models: Path) -> None:
    told = command(
        "generate", models / "gpt", " ".join(SENTENCES), "--max-new-tokens", 4, "--temperature", 0
    )
    assert told.code == 0
    assert "no room for the whole prompt: its first" in told.err


def test_embed_pools_layers_of_a_model(command: Command, models: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    arguments = ("embed", models / "bert", models / "text.txt", "-o", out)
    done = command(*arguments, "--pooling", "max", "--layer", 0, "--layer", 1, "--normalize")
    assert done.code == 0
    wanted = bert().embed(SENTENCES, "max", (0, 1), normalize=True)
    np.testing.assert_allclose(np.load(out), wanted, atol=1e-6)


def test_embed_computes_in_the_numbers_that_are_asked_for(
    command: Command, models: Path, run: Path, tmp_path: Path
) -> None:
    for precision in ("fp32", "bf16"):
        out = tmp_path / f"{precision}.npy"
        arguments = ("embed", models / "bert", models / "text.txt", "-o", out)
        assert command(*arguments, "--precision", precision).code == 0
        model = bert()
        model.use_precision(precision)
        np.testing.assert_array_equal(np.load(out), model.embed(SENTENCES))
    exact, rough = (np.load(tmp_path / f"{precision}.npy") for precision in ("fp32", "bf16"))
    assert 0 < np.abs(exact - rough).max() < 0.1
    refused = command("embed", run, models / "text.txt", "--precision", "bf16")
    assert (refused.code, "--precision has no effect" in refused.err) == (2, True)


def test_embed_takes_the_body_of_what_learned_a_task(
    command: Command, models: Path, tmp_path: Path
) -> None:
    model = bert()
    body = TaskBase(model.tokenizer, model.backbone, "full")
    task = ClassificationHead(ClassificationHead.Config(), body, labels=["a", "b"])
    TextClassifier(body, task).save(tmp_path / "task")
    shown = command("embed", tmp_path / "task", models / "text.txt", "-o", tmp_path / "out.npy")
    assert shown.code == 0, shown.err
    assert np.load(tmp_path / "out.npy") == pytest.approx(model.embed(SENTENCES), abs=1e-5)


def test_evaluate_measures_text(command: Command, models: Path) -> None:
    text = models / "text.txt"
    causal = command("evaluate", models / "gpt", text, "--json", "--stride", 1)
    assert json.loads(causal.out)[str(text)]["perplexity"] == gpt().perplexity(SENTENCES, stride=1)
    masked = command("evaluate", models / "bert", text)
    assert "masked lm accuracy" in masked.out


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("fill", "gpt", "[MASK]"), "this one is causal: use generate"),
        (("fill", "bert", "the king"), "has no [MASK]"),
        (("fill", "none", "[MASK]"), "none"),
        (("generate", "bert", "the king"), "this one is masked: use fill"),
        (("generate", "gpt", "a", "--temperature", "0", "--top-k", "3"), "would have no effect"),
        (
            ("generate", "gpt", "a", "--suffix", "b"),
            "suffix needs a model that writes spans (T5, BART); this one is causal: leave it out",
        ),
        (("generate", "bert", "a", "--suffix", "b"), "this one is masked: use fill"),
        (("embed", "bert", "text.txt", "--weighting", "sif"), "--weighting has no effect"),
        (("evaluate", "gpt", "text.txt", "--restrict-vocab", "9"), "--restrict-vocab has no"),
        (("neighbors", "gpt", "king"), "holds no word vectors"),
    ],
)
def test_errors_are_sentences(
    command: Command, models: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    names = {"bert", "gpt", "none", "text.txt"}
    done = command(*(models / name if name in names else name for name in arguments))
    assert done.code == 2
    assert complaint in done.err
    assert done.err.count("\n") == 1
    assert not done.out  # such as the prompt


def test_word_vectors_refuse_what_is_for_models(command: Command, run: Path, models: Path) -> None:
    text = models / "text.txt"
    for arguments, complaint in (
        (("embed", run, text, "--pooling", "cls"), "--pooling has no effect"),
        (("evaluate", run, text, "--documents", "line"), "--documents has no effect"),
        (("fill", run, "[MASK]"), "holds word vectors, no language model"),
    ):
        done = command(*arguments)
        assert done.code == 2
        assert complaint in done.err


@pytest.mark.slow
def test_word_vectors_open_without_torch(run: Path, models: Path) -> None:
    code = (
        "import sys, foretext as ft; "
        f"ft.load({str(run)!r}).embed(['x']); assert 'torch' not in sys.modules; "
        f"ft.load({str(models / 'bert')!r}); assert 'torch' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unfinished_run_is_said_to_be_one(command: Command, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recipe.toml").touch()
    done = command("fill", tmp_path / "run", "[MASK]")
    assert "an unfinished run; finish it with --resume" in done.err
    with pytest.raises(ft.ForetextError, match="an unfinished run"):
        ft.load(tmp_path / "run")
