"""`foretext show`: terminal, JSON and page say the same."""

from __future__ import annotations

import json
from pathlib import Path

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
    for option in (("--seed", "1"), ("--set", "objective.mask_rate=0.2"), ("--tokenizer", run)):
        done = command("show", run, "the dog barks", *option)
        assert done.code == 2
        assert f"{option[0]} has no effect on a trained model" in done.err
        assert len(done.err.strip().splitlines()) == 1
    for text in ("", "missing.txt"):
        done = command("show", run, text)
        assert done.code == 2
        assert len(done.err.strip().splitlines()) == 1
