"""ERNIE as a person types it: lists of entities, good and bad, and every verb on its run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Outcome

SMALL = [
    *("--set", "tokenizer.vocab_size=200", "--set", "backbone.num_layers=1"),
    *("--set", "backbone.dim=16", "--set", "backbone.num_heads=2"),
    *("--set", "objective.row_length=24", "--set", "training.steps=3", "--no-report", "-q"),
]
CHINESE = "小明毕业于清华大学，现在在北京工作。\n北京大学在北京。我们喜欢自然语言处理！\n\n"


@pytest.fixture
def entities(tmp_path: Path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("happy dog\nhappy cat\n", encoding="utf-8")
    return path


def pretrain(command: Command, text: Path, out: Path, *options: object) -> Outcome:
    return command("pretrain", "ernie", text, "-o", out, *SMALL, *options)


def test_a_run_with_a_list_and_its_verbs(
    command: Command, animal_text: Path, entities: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    done = pretrain(command, animal_text, run, "--entities", entities, "--json")
    assert done.code == 0, done.err
    assert "warnings" not in json.loads(done.out)
    assert f'entities = "{entities}"' in (run / "recipe.toml").read_text()
    log = (run / "train.log").read_text()
    assert "entities, which have" in log
    config = json.loads((run / "config.json").read_text())
    assert config["architectures"] == ["BertForPreTraining"]
    entities.unlink()  # a finished run does not need the list
    for verb in (
        ("fill", run, "a happy [MASK]"),
        ("evaluate", run, animal_text),
        ("embed", run, animal_text, "--output", tmp_path / "vectors.npy"),
    ):
        done = command(*verb)
        assert done.code == 0, (verb, done.err)


def test_a_list_that_occurs_nowhere_is_warned_of(
    command: Command, animal_text: Path, entities: Path, tmp_path: Path
) -> None:
    entities.write_text("unicorn\n")
    done = pretrain(command, animal_text, tmp_path / "run", "--entities", entities, "--json")
    (warning,) = json.loads(done.out)["warnings"]
    assert warning.startswith(f"no entity of {entities} occurs in the text")
    assert f"Warning: no entity of {entities}" in (tmp_path / "run" / "README.md").read_text()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "names.txt has no entity"),
        ("北京大学\n".encode("gb18030"), "names.txt, line 1: byte 0 (0xb1) is not UTF-8"),
    ],
    ids=["empty", "gb18030"],
)
def test_a_bad_list_is_refused_and_nothing_is_left(
    command: Command,
    animal_text: Path,
    entities: Path,
    tmp_path: Path,
    data: bytes,
    sentence: str,
) -> None:
    entities.write_bytes(data)
    for verb in ("pretrain", "plan"):
        options = ("-o", tmp_path / "run", *SMALL) if verb == "pretrain" else ()
        done = command(verb, "ernie", animal_text, *options, "--entities", entities)
        assert done.code == 2
        assert sentence in done.err
    assert not (tmp_path / "run").exists()


def test_a_recipe_that_hides_nothing_has_no_list(
    command: Command, animal_text: Path, entities: Path, tmp_path: Path
) -> None:
    done = command("pretrain", "gpt", animal_text, "-o", tmp_path / "run", "--entities", entities)
    assert done.code == 2
    assert "[objective] entities: there is no such setting" in done.err


@pytest.mark.slow
def test_a_plan_names_the_list(command: Command, animal_text: Path, entities: Path) -> None:
    done = command("plan", "ernie", animal_text, "--budget", "6s", "--entities", entities)
    assert done.code == 0, done.err
    assert f"--entities {entities}" in done.out


def test_a_list_that_changed_is_noticed_where_the_run_is_resumed(
    command: Command,
    animal_text: Path,
    entities: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from foretext.pretraining import language_models

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    run = tmp_path / "run"
    with monkeypatch.context() as stopped:
        stopped.setattr(language_models, "fit", stop)
        assert pretrain(command, animal_text, run, "--entities", entities).code != 0
    kept = entities.read_bytes()
    entities.write_text("happy dog\n")
    done = pretrain(command, animal_text, run, "--entities", entities, "--resume")
    assert done.code == 2
    assert f"{entities} has changed since" in done.err
    entities.write_bytes(kept)
    done = pretrain(command, animal_text, run, "--entities", entities, "--resume")
    assert done.code == 0, done.err


def test_whole_words_of_chinese_are_jieba_s(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    text = tmp_path / "chinese.txt"
    text.write_text(CHINESE * 60, encoding="utf-8")
    arguments = ("bert", text, *SMALL, "--set", "objective.whole_words=true", "--json")
    run = tmp_path / "run"
    done = command("pretrain", *arguments, "-o", run)
    assert done.code == 0, done.err
    assert 'words = "jieba"' in (run / "recipe.toml").read_text()
    assert "warnings" not in json.loads(done.out)
    assert command("evaluate", run, text).code == 0  # measured with whole words, too
    by_marks = (*arguments, "--set", "objective.words=tokens")
    done = command("pretrain", *by_marks, "-o", tmp_path / "other")
    (warning,) = json.loads(done.out)["warnings"]
    assert warning.startswith("hiding whole words (whole_words) has next to no effect")


def test_chinese_without_jieba_is_one_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foretext.base.errors import MissingExtraError
    from foretext.objectives import masking

    def missing() -> str:
        raise MissingExtraError("jieba", "chinese", "Finding the words of Chinese text")

    monkeypatch.setattr(masking, "jieba_version", missing)
    text = tmp_path / "chinese.txt"
    text.write_text(CHINESE * 60, encoding="utf-8")
    done = pretrain(command, text, tmp_path / "run")
    assert done.code == 2
    assert "pip install 'foretext[chinese]'" in done.err
    assert not (tmp_path / "run").exists()
    done = pretrain(command, text, tmp_path / "run", "--set", "objective.words=tokens")
    assert done.code == 0, done.err
