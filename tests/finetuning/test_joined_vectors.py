"""Word vectors joined with ELMo's states, word by word: [x_k; ELMo_k] (Peters et al. 2018, 3.3)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import foretext as ft
from foretext.base.errors import Interrupted, ModelFileError, SettingError
from foretext.finetuning.joined_vectors import JoinedVectors, joined
from foretext.heads.tagging import TaggingHead
from foretext.shown import Note
from foretext.vectors.word_vectors import WordVectors
from tests.task_files import TaskFiles

TEXTS = [
    "the owl hoots at night", "The cat purrs at noon", "a hen clucks in Dogtown",
    "every dog barks again",
] * 8  # fmt: skip
SETTINGS = {"training": {"epochs": 1.0, "batch_examples": 16, "precision": "fp32"}}
TASKS = ("classification", "matching", "tagging", "span_qa")


@pytest.fixture(scope="module")
def elmo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ELMo that has hardly learned; it reads words in their case."""
    run = tmp_path_factory.mktemp("elmo") / "run"
    shape = {"dim": 6, "features": [4, 4], "widths": [1, 2], "num_highways": 1, "dropout": 0.0}
    sections = {
        "backbone": shape,
        "tokenizer": {"min_count": 1},
        "training": {"steps": 2, "batch_examples": 4},
        "objective": {"row_length": 8},
    }
    ft.pretrain("elmo", TEXTS, run, settings=sections, quiet=True)
    return run


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """Vectors of words in lower case, of which ELMo knows some; "owl" has none."""
    words = ["the", "cat", "dog", "dogtown", "zebra"]
    return WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 3)))


@pytest.fixture(scope="module")
def tagger(
    elmo: Path,
    vectors: WordVectors,
    task_files: TaskFiles,
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """A tagger without BiLSTM and CRF, which are not by hand here, and its run."""
    run = tmp_path_factory.mktemp("tagger") / "run"
    settings = {**SETTINGS, "task": {"crf": False, "dropout": 0.0}}
    file = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    vectors.save(file)
    train = task_files.train("tagging")
    model = ft.finetune("tagging", elmo, train, run, beside=str(file), settings=settings)
    return model, run, file


def read_by_hand(elmo: Path, vectors: WordVectors, mix: Any, text: str) -> np.ndarray:
    """[x_k; γ Σ s_j h_jk] of a text, (T, E + D)."""
    layers = ft.load(elmo).layers(text)
    scores, scale = mix.scores.detach().double().numpy(), float(mix.scale.detach())
    weights = np.exp(scores) / np.exp(scores).sum()
    mixed = scale * np.einsum("l,ltd->td", weights, layers.states.astype(np.float64))
    known = [word.lower() if word.lower() in vectors else None for word in layers.tokens]
    own = [np.zeros(vectors.vector_size) if word is None else vectors[word] for word in known]
    return np.concatenate([np.array(own), mixed], 1)


def test_the_input_of_the_task_by_hand(tagger: Any, elmo: Path, vectors: WordVectors) -> None:
    """Words in and out of both vocabularies, in both cases, and one that nobody knows."""
    model, _, _ = tagger
    text = "The owl saw DOG and zebra in Dogtown quuxly"
    head, network = model.head, model.exact_network()
    examples = model.input_examples((text,))
    inputs = examples.batch(np.zeros(1, np.int64)).inputs
    with torch.inference_mode():
        states = network.backbone(inputs, keep_layers=True)
        read = network.head.read(states, inputs)[0]
        outputs = network.head.outputs(states, inputs)[0]
    expected = read_by_hand(elmo, vectors, head.mix, text)
    assert read.shape == (len(expected), 3 + 12)
    np.testing.assert_allclose(read.numpy(), expected, atol=1e-5)
    weight, bias = (each.detach().double().numpy() for each in head.classifier.parameters())
    np.testing.assert_allclose(outputs.numpy(), expected @ weight.T + bias, atol=1e-5)
    assert (expected[:, :3] != 0).any(1).sum() == 4  # The, DOG, zebra, Dogtown


def test_vectors_stay_as_they_were(tagger: Any, vectors: WordVectors) -> None:
    model, _, _ = tagger
    tokens = model.base.tokenizer.tokens
    for form in (str.lower, str.capitalize, str.upper):
        ids = torch.tensor([tokens.index(form(word)) for word in vectors.index_to_key])
        np.testing.assert_array_equal(model.head.word_vectors(ids).numpy(), vectors.vectors)
    assert len(model.head.word_vectors.vectors) == 1 + len(vectors)
    assert not model.head.word_vectors.vectors.requires_grad


def test_the_folder_answers_alike(tagger: Any, task_files: TaskFiles) -> None:
    model, run, file = tagger
    opened, rows = ft.load(run), model.task.read(task_files.test("tagging"))
    given = [row.tokens for row in rows]
    for one, other in zip(model.predict_proba(given), opened.predict_proba(given), strict=True):
        np.testing.assert_array_equal(one, other)
    recipe = (run / "recipe.toml").read_text()
    assert str(file) in recipe


def test_a_recipe_repeats_the_run(tagger: Any, tmp_path: Path) -> None:
    _, run, _ = tagger
    ft.finetune(out=tmp_path / "again", config=run / "recipe.toml")
    weights = [(each / "model.safetensors").read_bytes() for each in (run, tmp_path / "again")]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_that_reads_states_reads_vectors_too(
    task: str, elmo: Path, vectors: WordVectors, task_files: TaskFiles, tmp_path: Path
) -> None:
    train, test = task_files.train(task), task_files.test(task)
    found = []
    for beside in ((), vectors):
        run = tmp_path / f"run-{len(found)}"
        model = ft.finetune(task, elmo, train, run, beside=beside, settings=SETTINGS)
        opened = ft.load(run)
        figures = [each.evaluate(test) for each in (model, opened)]
        assert figures[0] == figures[1]
        found.append(opened.head.word_vectors)
    assert found[0] is None
    assert found[1].dim == 3


def test_a_killed_run_ends_in_the_same_bits(
    elmo: Path, vectors: WordVectors, task_files: TaskFiles, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    file = tmp_path / "vectors.txt"
    vectors.save(file)

    def learned(name: str, **options: Any) -> bytes:
        rows = task_files.train("tagging")
        training = {**SETTINGS["training"], "epochs": 2.0, "checkpoint_seconds": 0.0}
        settings = {"training": training, "task": {"lstm_dim": 4}}
        ft.finetune(
            "tagging", elmo, rows, tmp_path / name, beside=str(file), settings=settings, **options
        )
        return (tmp_path / name / "model.safetensors").read_bytes()

    whole, scores, calls = learned("whole"), TaggingHead.scores, []

    def stopped(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 6:
            raise Interrupted("SIGTERM stopped it.")
        return scores(*given)

    with monkeypatch.context() as patched:
        patched.setattr(TaggingHead, "scores", stopped)
        with pytest.raises(Interrupted):
            learned("killed")
    assert list((tmp_path / "killed").glob("checkpoints/seed-1/step-*"))
    assert learned("killed", resume=True) == whole


def test_it_is_shown(tagger: Any) -> None:
    _, run, _ = tagger
    shown = ft.show(run, "the cat sat", lang="en").shown[0]
    notes = [part.text for part in shown.parts if isinstance(part, Note)]
    assert any("2 of 5 tokens have one" in note and "3 numbers" in note for note in notes)
    layers = {layer["layer"]: layer["shape"] for layer in facts_of(run)["structure"]}
    assert layers["states with word vectors"][1] == 15


def facts_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "config.json").read_text())["foretext"]["facts"]
    return found


def test_what_is_said_of_words_without_a_vector(
    elmo: Path, vectors: WordVectors, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, said in (("the cat", "100% of the words"), ("quux quuz", "0% of the words")):
        rows = [(text.split(), ["B-X", "O"])] * 8
        run = tmp_path / said[:2].strip("%")
        ft.finetune("tagging", elmo, rows, run, beside=vectors, settings=SETTINGS)
        assert said in (run / "train.log").read_text()


def test_the_opened_base_stays_as_it_is(elmo: Path, vectors: WordVectors) -> None:
    base = ft.load(elmo).as_base()
    before = base.backbone.vocab_size, len(base.backbone.spellings)
    wider = joined(base, JoinedVectors("v", vectors))
    assert (base.backbone.vocab_size, len(base.backbone.spellings)) == before
    assert base.word_vectors is None
    assert base.head_dim + 3 == wider.head_dim
    assert wider.tokenizer.tokens[: before[0]] == base.tokenizer.tokens
    assert {"zebra", "Zebra", "ZEBRA"} <= set(wider.tokenizer.tokens)


def test_words_of_vectors_in_their_case_have_one_form(elmo: Path) -> None:
    cased = WordVectors(["Zebra", "gnu"], np.eye(2, dtype=np.float32))
    wider = joined(ft.load(elmo).as_base(), JoinedVectors("v", cased))
    assert not {"ZEBRA", "zebra", "Gnu"} & set(wider.tokenizer.tokens)


@pytest.mark.parametrize(
    ("task", "base", "beside", "sentence"),
    [
        (
            "tagging",
            "bert",
            "vectors",
            r"--with has no effect on '.*bert'; leave it out, or give a",
        ),
        ("tagging", "lstm", "vectors", "--with has no effect on 'lstm'; leave it out, or give a"),
        ("tagging", "vectors", "vectors", "--with has no effect on '.*vectors.txt'"),
        ("tagging", "elmo", "bert", "it holds no word vectors to join with the states of"),
        ("tagging", "elmo", "both", "--with names 2 bases"),
        ("sentence_vectors", "elmo", "vectors", "--with has no effect on sentence vectors over"),
    ],
)
def test_what_cannot_be_joined_is_refused(
    task: str, base: str, beside: str, sentence: str, elmo: Path, bases: dict[str, Path],
    task_files: TaskFiles,
) -> None:  # fmt: skip
    paths = {**bases, "elmo": elmo, "lstm": "lstm"}
    given = [paths[each] for each in (("vectors", "vectors") if beside == "both" else (beside,))]
    with pytest.raises(SettingError, match=sentence) as caught:
        ft.finetune(task, paths[base], task_files.train(task), beside=given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shape", [-1, [6], [6, "3"], [6, 1 << 40], [6, 4], [0, 3], [-6, 3]])
def test_a_damaged_shape_is_refused(tagger: Any, tmp_path: Path, shape: Any) -> None:
    run = Path(shutil.copytree(tagger[1], tmp_path / "run"))
    config = json.loads((run / "config.json").read_text())
    config["foretext"]["word_vectors"] = shape
    (run / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelFileError) as caught:
        ft.load(run)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("row", [6, -1, 1e30])
def test_a_damaged_row_is_refused(tagger: Any, tmp_path: Path, row: float) -> None:
    run = Path(shutil.copytree(tagger[1], tmp_path / "run"))
    weights = load_file(run / "model.safetensors")
    weights["task.word_vectors.rows"][-1] = row
    save_file(weights, run / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelFileError, match="a word has a vector that is not among those"):
        ft.load(run)
