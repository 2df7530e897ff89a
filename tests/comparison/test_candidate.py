"""What a candidate refuses, and where its files go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.base.sizes import SIZES
from foretext.comparison.candidate import BASELINE, Candidate, named_candidate
from foretext.tasks import TASKS
from foretext.tasks.task import task_named


def test_the_folder_of_a_candidate_is_its_name_without_signs() -> None:
    candidate = Candidate("modern-bert, not pretrained", "transformer", group="from scratch")
    assert candidate.folder == "modern-bert-not-pretrained"
    assert Candidate("word2vec + TextCNN", "runs/w2v").folder == "word2vec-textcnn"
    assert Candidate("runs/模型_1", "runs/模型_1").folder == "runs-模型-1"
    assert len(Candidate("/deep" * 100, "/deep").folder) <= 80


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": "../.."}, "no letter or digit"),
        ({"group": "others"}, "the groups are: classical"),
        ({"base": None}, "needs either a recipe to pretrain by, or a base"),
        ({"recipe": "bert", "pretraining_rate": 0.5}, "needs either a recipe"),
        ({"base": None, "recipe": "bert"}, "pretraining_rate = 0.0"),
        ({"pretraining_rate": 0.5}, "pretraining_rate = 0.5"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], complaint: str) -> None:
    given: dict[str, Any] = {"name": "linear", "base": "linear", "group": "classical", **changes}
    with pytest.raises(SettingError, match=complaint):
        Candidate(**given)


@pytest.mark.parametrize(
    ("seconds", "pretraining"), [(40.0, 20.0), (120.0, 60.0), (150.0, 90.0), (1000.0, 700.0)]
)
def test_a_short_time_is_halved(seconds: float, pretraining: float) -> None:
    candidate = Candidate(
        "bert", None, recipe="bert", pretraining_rate=0.7, finetuning_seconds=60.0
    )
    assert candidate.pretraining_seconds(seconds) == pytest.approx(pretraining)


def test_a_pretraining_takes_its_rate_at_most() -> None:
    candidate = Candidate("word2vec + bilstm", None, recipe="word2vec", pretraining_rate=0.4)
    assert candidate.pretraining_seconds(40.0) == pytest.approx(16.0)


@pytest.mark.parametrize("name", ["linear", "fasttext"])
def test_what_needs_no_network(name: str) -> None:
    candidate = named_candidate(name, "classification")
    assert (candidate.base, candidate.recipe, candidate.group) == (name, None, "classical")


@pytest.mark.parametrize("recipe", ["doc2vec", "word2vec", "fasttext", "glove"])
def test_frozen_vectors_under_a_linear_head(recipe: str) -> None:
    alone = named_candidate(f"{recipe} + linear", "classification")
    assert (alone.name, alone.recipe, alone.base) == (f"{recipe} + linear", recipe, None)
    assert alone.settings == {"embeddings": {"words": False}}
    assert alone.is_frozen
    assert not alone.needs_network
    beside = named_candidate(f"{recipe} + linear + words", "classification")
    assert beside.settings == {"embeddings": {"words": True}}
    assert beside.folder == f"{recipe}-linear-words"


def test_any_base_can_stay_as_it_is(tmp_path: Path) -> None:
    given = named_candidate(f"{tmp_path} + linear", "classification")
    assert (given.base, given.recipe, given.is_frozen) == (str(tmp_path), None, True)
    network = named_candidate("modern-bert + linear + words", "classification")
    assert (network.recipe, network.group, network.needs_network) == (
        "modern-bert", "pretrained", True,
    )  # fmt: skip
    for name, sentence in (("nothing", "There is no candidate 'nothing'"), ("lda", "is no recipe")):
        with pytest.raises(SettingError, match=sentence):
            named_candidate(f"{name} + linear", "classification")


BASELINES = {name: task_named(name).candidates.baseline for name in TASKS}


@pytest.mark.parametrize("task", [task for task, name in BASELINES.items() if name])
def test_the_baseline_of_a_task(task: str) -> None:
    name = str(BASELINES[task])
    assert named_candidate(name, task) == named_candidate(BASELINE, task)
    is_kept = task == "matching"  # what learns it is a model
    assert named_candidate(name, task).base == ("linear" if is_kept else BASELINE)
    assert named_candidate(name, task).is_measure != is_kept


def test_the_baseline_of_classification_has_a_name_of_its_own() -> None:
    with pytest.raises(SettingError, match="'linear' is that of classification"):
        named_candidate(BASELINE, "classification")


@pytest.mark.parametrize("name", ["modern-bert", "bert-mini", "t5", "deberta"])
def test_a_recipe_is_pretrained(name: str) -> None:
    candidate = named_candidate(name, "tagging")
    assert (candidate.name, candidate.recipe, candidate.base) == (name, name, None)
    assert candidate.group == "pretrained"


def test_a_recipe_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[backbone]\nname = "transformer"\n[objective]\nname = "masked_lm"\n')
    candidate = named_candidate(str(file), "classification")
    assert (candidate.recipe, candidate.group) == (str(file), "pretrained")


def test_word_vectors_stand_under_a_network() -> None:
    candidate = named_candidate("glove + bilstm", "classification")
    assert (candidate.recipe, candidate.group) == ("glove", "vectors")
    assert candidate.settings == {
        "backbone": {"name": "lstm"},
        "task": {"pooling": "attention"},
    }
    assert named_candidate("glove+bilstm", "classification") == candidate
    assert named_candidate("word2vec", "classification").name == "word2vec + textcnn"
    tagger = named_candidate("fasttext", "tagging")
    assert (tagger.name, tagger.settings) == ("fasttext + bilstm", {"backbone": {"name": "lstm"}})


def test_words_are_read_beside_any_network(tmp_path: Path) -> None:
    candidate = named_candidate("word2vec + bilstm + words", "classification")
    assert (candidate.name, candidate.recipe) == ("word2vec + bilstm + words", "word2vec")
    assert candidate.settings["task"] == {"pooling": "attention", "word_features": "tfidf"}
    assert candidate.settings["backbone"] == {"name": "lstm"}
    without = named_candidate("word2vec + bilstm", "classification")
    assert candidate.least_seconds > without.least_seconds
    assert candidate.folder != without.folder
    for name in ("modern-bert", "textcnn", "bert, not pretrained", str(tmp_path)):
        found = named_candidate(f"{name}+words", "classification")
        assert found.name == f"{name} + words"
        assert found.settings["task"]["word_features"] == "tfidf"
    pairs = named_candidate("word2vec + textcnn + words", "matching")
    assert pairs.settings["task"]["word_features"] == "overlap"


@pytest.mark.parametrize(
    ("name", "task"), [("linear + words", "classification"), ("textcnn + words", "tagging")]
)
def test_words_stand_beside_no_other_model(name: str, task: str) -> None:
    with pytest.raises(SettingError, match="words are read beside a network that classifies"):
        named_candidate(name, task)


def test_networks_from_scratch() -> None:
    candidate = named_candidate("bilstm", "tagging")
    assert (candidate.base, candidate.settings, candidate.group) == ("lstm", {}, "from scratch")
    assert named_candidate("gru", "matching").base == "gru"
    assert named_candidate("my_nets:Mixer", "tagging").base == "my_nets:Mixer"


def test_the_network_of_a_recipe_without_pretraining() -> None:
    candidate = named_candidate("modern-bert, not pretrained", "classification")
    backbone = candidate.settings["backbone"]
    assert (candidate.base, candidate.recipe) == ("transformer", None)
    assert backbone.items() >= SIZES["tiny"]._asdict().items()
    assert backbone["positions"] == "rotary"
    mini = named_candidate("bert-mini, not pretrained", "classification")
    assert mini.settings["backbone"].items() >= SIZES["mini"]._asdict().items()
    words = named_candidate("lstm-lm, not pretrained", "classification")
    assert (words.base, words.settings["backbone"]["dim"]) == ("recurrent", 256)


def test_a_path_is_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs/bert").mkdir(parents=True)
    given = named_candidate("runs/bert", "tagging")
    assert (given.name, given.base, given.group) == ("runs/bert", "runs/bert", "given")
    fresh = named_candidate("runs/bert, not pretrained", "tagging")
    assert (fresh.base, fresh.settings) == ("runs/bert", {"finetuning": {"fresh": True}})
    Path("a+b").mkdir()
    assert named_candidate("a+b", "tagging").base == "a+b"
    Path("bert").mkdir()
    assert named_candidate("bert", "tagging").recipe == "bert"  # as `finetune` prefers names
    assert named_candidate("./bert", "tagging").base == "./bert"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("modernbert", "Did you mean 'modern-bert'"),
        ("runs/nothing", "There is no candidate 'runs/nothing'"),
        ("bert + textcnn", "'bert' is no recipe of word vectors"),
        ("word2vec + bert", "There is no network 'bert'"),
        ("word2vec + fasttext", "There is no network 'fasttext'"),
        ("word2vec, not pretrained", "name the network alone"),
        ("textcnn, not pretrained", "'textcnn' is not pretrained either"),
        ("linear-autoencoder", "does not learn from text"),
        ("word2vec-tiny", "word2vec has no sizes"),
        ("nothing.toml", "nothing.toml"),
    ],
)
def test_names_of_nothing(name: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        named_candidate(name, "classification")


def test_names_import_no_torch() -> None:
    code = (
        "import sys; from foretext.comparison.candidates import CorpusFacts, default_candidates;"
        "default_candidates('classification', CorpusFacts('en', 10**7, 5000), 3600.0);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
