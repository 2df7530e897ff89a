"""Who chooses the language: what runs within a block, the environment, an option of the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import (
    ArgumentError,
    MissingExtraError,
    OutputError,
    SettingError,
    suggestion,
)
from foretext.base.files import refuse_existing
from foretext.base.runtime import refuse_surroundings
from foretext.messages import VARIABLE, choose_language, in_language, language, passed_on
from foretext.progress import Progress


def test_the_environment_chooses_before_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setenv(VARIABLE, "zh")
    assert language() == "zh"
    with in_language("en"):
        assert language() == "en"
        assert passed_on()[VARIABLE] == "en"  # to processes that are started within
    monkeypatch.delenv(VARIABLE)
    assert language() == "en"
    choose_language(None)
    assert language() == "en"
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert language() == "zh"


def test_a_language_that_foretext_does_not_speak_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "de")
    with pytest.raises(SettingError, match="FORETEXT_LANG is 'de', and foretext speaks en, zh"):
        refuse_surroundings()


def test_python_chooses_one_that_foretext_speaks() -> None:
    with ft.in_language("zh"):
        assert language() == "zh"
    with ft.in_language(None):
        assert language() == "en"
    with pytest.raises(ArgumentError, match=r"language = 'fr': there are en, zh\."):
        ft.in_language("fr")  # type: ignore[arg-type]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "foretext", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_the_option_of_a_verb_holds_for_its_page_and_its_errors(tmp_path: Path) -> None:
    text, page = tmp_path / "text.txt", tmp_path / "page.html"
    text.write_text("the ship and the sea\n" * 30, encoding="utf-8")
    done = run("inspect", str(text), "--report", str(page), "--lang", "zh", "--json", "-q")
    assert done.returncode == 0
    assert "个词元，太少" in json.loads(done.stdout)["problems"][0]["sentence"]
    assert "适合这份文本的设置" in page.read_text(encoding="utf-8")
    missing = run("inspect", str(tmp_path / "texts.txt"), "--lang", "zh")
    assert missing.returncode == 2
    assert "没有这个文件或文件夹。是不是 'text.txt'？" in missing.stderr


def test_the_terminal_says_how_long_it_takes_in_chinese() -> None:
    with in_language("zh"):
        assert Progress("x", 10.0, "seconds", quiet=True).line().endswith("还剩 00:10")
    with in_language("en"):
        assert Progress("x", 10.0, "seconds", quiet=True).line().endswith("00:10 left")


def test_the_commonest_errors_are_told_in_chinese(tmp_path: Path) -> None:
    with in_language("zh"):
        with pytest.raises(OutputError, match=r"已经存在；请换一个名称，或用 --overwrite 替换它。"):
            refuse_existing(tmp_path, overwrite=False)
        error = MissingExtraError("jieba", "chinese", "words = 'jieba'")
        assert "需要软件包 'jieba'" in str(error)
        assert suggestion("lern", ["learn", "yearn"]) == "是不是 'learn' 或 'yearn'？"
        assert suggestion("x", ["learn"]) == ""
