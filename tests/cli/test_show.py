"""`foretext show`: terminal, JSON and page say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.recipe import Recipe
from tests.audit.folders import finished
from tests.cli.conftest import Command

TEXT = "The ship left at dawn. A storm came.\n\nThe judge read the verdict. Nobody spoke."


def test_terminal_json_and_page(command: Command, tmp_path: Path) -> None:
    shown = command("show", "bert", TEXT, "-n", "2", "--lang", "en")
    assert shown.code == 0, shown.err
    assert "bert: what the training reads" in shown.out
    data = json.loads(command("show", "bert", TEXT, "-n", "2", "--lang", "en", "--json").out)
    titles = [each["title"] for each in data["shown"]]
    assert titles == ["The text", "Example 1", "Example 2", "The batch of 2"]
    assert all(title in shown.out for title in titles)
    page = tmp_path / "page.html"
    done = command("show", "bert", TEXT, "-n", "2", "--lang", "en", "-o", str(page))
    assert str(page) in done.out
    assert all(title in page.read_text(encoding="utf-8") for title in titles)
    again = command("show", "bert", TEXT, "-o", str(page))
    assert again.code == 2
    assert str(page) in again.err


def test_chinese(command: Command) -> None:
    shown = command("show", "gpt", "今天天气很好，我们去公园散步。", "--lang", "zh").out
    assert "训练读到的内容" in shown
    assert "下一个词元" in shown


def test_what_is_wrong_is_one_sentence(command: Command) -> None:
    for arguments in (
        ("bert", "missing.txt"),
        ("bert", ""),
        ("bort", TEXT),
        ("bert", TEXT, "--tokenizer", "nowhere"),
        ("bert", TEXT, "--set", "objective.mask_rat=0.2"),
    ):
        done = command("show", *arguments)
        assert done.code == 2
        assert len(done.err.strip().splitlines()) == 1
        assert done.out == ""


def test_a_trained_model(command: Command, tmp_path: Path) -> None:
    run = str(finished("bert"))
    data = json.loads(command("show", run, "the dog barks", "--lang", "en", "--json").out)
    kinds = {part["kind"] for part in data["shown"][0]["parts"]}
    assert kinds == {"note", "tokens", "table", "grid", "grids"}
    shown = command("show", run, "the dog barks\nthe cat purrs", "-n", "1", "--lang", "zh")
    assert "所有头的注意力" in shown.out
    assert "the cat purrs" not in shown.out
    page = tmp_path / "page.html"
    done = command("show", run, "the dog barks", "--lang", "en", "-o", str(page))
    assert str(page) in done.out
    assert page.read_text(encoding="utf-8").count("<details") == 2


def test_what_has_no_effect_on_a_trained_model_is_refused(command: Command) -> None:
    run = str(finished("bert"))
    for option in (
        ("--seed", "1"),
        ("--set", "objective.mask_rate=0.2"),
        ("--tokenizer", run),
        ("--entities", "names.txt"),
        ("--config", "own.toml"),
    ):
        done = command("show", run, "the dog barks", *option)
        assert done.code == 2
        assert f"{option[0]} has no effect on a trained model" in done.err
        assert len(done.err.strip().splitlines()) == 1
    for text in ("", "missing.txt"):
        done = command("show", run, text)
        assert done.code == 2
        assert len(done.err.strip().splitlines()) == 1


def test_how_a_text_is_read_may_be_set_for_a_trained_model(
    command: Command, tmp_path: Path
) -> None:
    run, table = str(finished("bert")), tmp_path / "x.csv"
    table.write_text("id,body\n1,the dog barks\n", encoding="utf-8")
    shown = ft.show(run, table, settings={"corpus": {"column": "body"}}, lang="en").to_json()
    assert "dog" in str(shown)
    for option in (("--column", "body"), ("--set", "corpus.column=body")):
        done = command("show", run, str(table), *option, "--lang", "en", "--json")
        assert json.loads(done.out) == json.loads(json.dumps(shown))
    with pytest.raises(SettingError, match="settings has no effect on a trained model"):
        ft.show(run, table, settings=["corpus.column=body", "objective.mask_rate=0.2"])


def test_settings_of_a_file_reach_a_task(command: Command, tmp_path: Path) -> None:
    rows, config = tmp_path / "pairs.tsv", tmp_path / "config.toml"
    rows.write_text("von\tnach\n" + "the ship left\tdas Schiff fuhr ab\n" * 4, encoding="utf-8")
    config.write_text('[rows]\nsource = "von"\ntarget = "nach"\n')
    done = command("show", "text_to_text", rows, "--config", config, "-n", 1, "--lang", "en")
    assert done.code == 0, done.err
    assert "Rows: 4" in done.out
    config.write_text("[trainig]\n")
    done = command("show", "text_to_text", rows, "--config", config)
    assert (done.code, len(done.err.strip().splitlines())) == (2, 1)
    assert "[trainig]" in done.err


def test_a_file_of_settings_counts_as_settings(command: Command, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[corpus]\nencoding = "latin-1"\n')
    for recipe in ("gpt", "bpe"):
        done = command("show", recipe, TEXT, "--config", config)
        assert done.code == 2
        assert "encoding has no effect on a text itself" in done.err


def test_options_of_a_corpus_are_refused_where_none_is_read(
    command: Command, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("label\ttext\ncat\tthe cat purrs\n", encoding="utf-8")
    for what, text in (
        ("gpt", TEXT),
        ("bpe", TEXT),
        (finished("bert"), TEXT),
        (finished("classification"), rows),
        ("text_to_text", rows),
    ):
        for option in (("--column", "text"), ("--encoding", "latin-1")):
            done = command("show", what, text, *option)
            assert done.code == 2
            assert "no effect" in done.err
            assert len(done.err.strip().splitlines()) == 1


def test_a_number_too_large_is_refused(command: Command) -> None:
    for what in ("gpt", "bpe", finished("bert")):
        done = command("show", what, TEXT, "-n", 10**9)
        assert done.code == 2
        assert "1,000" in done.err


def test_command_and_python_give_a_page_one_title(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "own.gpt.toml"
    file.write_text(Recipe.load("gpt").text())
    for recipe in ("gpt", str(file)):
        said = command("show", recipe, TEXT, "--lang", "en", "--json").out
        assert json.loads(said) == ft.show(recipe, TEXT, lang="en").to_json()
