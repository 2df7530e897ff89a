from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.candidate import named_candidate
from foretext.comparison.candidates import CorpusFacts, usual_names
from foretext.comparison.chosen_candidates import check_candidate, choose_candidates
from foretext.finetuning.bases import NamedBackbone
from foretext.recipe import Recipe
from foretext.tasks import TASKS
from foretext.tasks.task import task_named

COMPARED = [name for name in TASKS if task_named(name).is_compared]
FACTS = CorpusFacts(language="en", corpus_bytes=10_000_000, num_rows=5_000)


def names(task: str = "classification", seconds: float = 120.0, **chosen: Any) -> list[str]:
    return [each.name for each in choose_candidates(task, FACTS, seconds, **chosen).candidates]


@pytest.mark.parametrize("task", COMPARED)
def test_the_usual_candidates_can_learn_their_task(task: str) -> None:
    for name in usual_names(task):
        check_candidate(named_candidate(name, task), task)


@pytest.mark.parametrize("task", COMPARED)
def test_settings_of_the_usual_candidates_are_known(task: str) -> None:
    for name in usual_names(task):
        candidate = named_candidate(name, task)
        if candidate.recipe is not None:
            Recipe.load(candidate.recipe)
        chosen = dict(candidate.settings.get("backbone", {}))
        if candidate.group in ("vectors", "from scratch") and not candidate.is_frozen:
            base = str(chosen.pop("name", candidate.base))
            component: Any = NamedBackbone.of(base).component
            component.Config.checked(chosen, "backbone")


def test_only_names_candidates_whatever_the_budget() -> None:
    assert names(only=("t5", "linear"), seconds=20) == ["t5", "linear"]
    assert choose_candidates("classification", FACTS, 20, only=("t5",)).left_out == {}


def test_a_group_is_all_its_candidates() -> None:
    assert names(only=("classical",)) == ["linear", "fasttext"]
    assert names(only=("vectors",))[:2] == ["doc2vec + linear + words", "word2vec + bilstm"]
    assert names(without=("vectors", "pretrained"))[:2] == ["linear", "fasttext"]


def test_vectors_name_all_networks_over_them() -> None:
    over = ["word2vec + bilstm", "word2vec + textcnn", "word2vec + linear + words"]
    assert names(only=("word2vec",)) == over
    assert names(only=("word2vec + linear",)) == ["word2vec + linear"]
    assert "word2vec + bilstm" not in names(without=("word2vec",))
    assert names(only=("fasttext",)) == ["fasttext"]
    assert names("tagging", only=("fasttext",)) == ["fasttext + bilstm", "fasttext + textcnn"]


def test_vectors_are_of_characters_where_the_rows_tag_characters() -> None:
    facts = replace(FACTS, language="zh", are_characters=True)
    only = ("word2vec", "bilstm", "modern-bert")
    found = choose_candidates("tagging", facts, 600, only=only).candidates
    kinds = {
        each.name: each.pretraining.get("tokenizer", {}).get("pre_tokenizer") for each in found
    }
    assert kinds.pop("word2vec + bilstm") == "chinese_characters"
    assert {kind for name, kind in kinds.items() if not name.startswith("word2vec")} == {None}


def test_without_leaves_out() -> None:
    choice = choose_candidates("classification", FACTS, 120, without=("linear", "bert"))
    assert "linear" not in [each.name for each in choice.candidates]
    assert "bert" not in choice.left_out
    assert "gpt" in choice.left_out


def test_what_is_given_takes_part_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    given = str(tmp_path / "run")
    assert names(given=(given, "deberta"), seconds=3600)[-2:] == [given, "deberta"]
    assert sorted(names(given=("linear",))) == sorted(names())
    assert "t5" not in choose_candidates("tagging", FACTS, 60, given=("t5",)).left_out


def test_what_is_given_and_left_out_changes_the_room_of_others() -> None:
    assert "modern-bert" in names(seconds=120)
    assert "modern-bert" not in names(seconds=120, given=("elmo",))
    assert "textcnn" not in names(seconds=120)
    assert "textcnn" in names(seconds=120, without=("pretrained",))


def test_seeds_take_their_time() -> None:
    one, three = (
        choose_candidates("classification", FACTS, 600, seeds=seeds).candidates for seeds in (1, 3)
    )
    assert len(three) < len(one)


def test_two_candidates_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for run in ("a-b", "a_b"):
        (tmp_path / run).mkdir()
    with pytest.raises(SettingError, match="'a-b' and 'a_b' would be kept in one folder, a-b"):
        names(only=("a-b", "a_b"))


@pytest.mark.parametrize(
    ("task", "name", "reason"),
    [
        ("span_qa", "elmo", "no token between two texts"),
        ("span_qa", "word2vec + textcnn", "no token between two texts"),
        ("text_to_text", "reader", "no token between two texts"),
        ("span_qa", "textcnn", "no token between two texts"),
        ("text_to_text", "bert", "writes none"),
        ("text_to_text", "glove", "no token between two texts"),
        ("span_qa", "linear", "learns other tasks"),
        ("matching", "embeddings", "learns other tasks"),
    ],
)
def test_what_cannot_learn_the_task_is_refused(task: str, name: str, reason: str) -> None:
    with pytest.raises(SettingError, match=reason):
        names(task, only=(name,))


def test_writers_of_text() -> None:
    assert names("text_to_text", only=("prefix-lm", "modern-gpt")) == ["prefix-lm", "modern-gpt"]


@pytest.mark.parametrize("option", ["only", "without", "given"])
def test_unknown_names(option: str) -> None:
    chosen: dict[str, Any] = {option: ("linaer",)}
    with pytest.raises(SettingError, match=r"'linaer'.* Did you mean 'linear'"):
        names(**chosen)


def test_nothing_is_left() -> None:
    with pytest.raises(SettingError, match="--without leaves no candidate"):
        names(only=("linear",), without=("linear",))
    with pytest.raises(
        SettingError, match=r"--budget 1s is too short .* it could be linear.* with"
    ):
        names(seconds=1)
