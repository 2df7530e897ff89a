"""Chinese words as marks, found by this process or by several."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from foretext.base.errors import MissingExtraError
from foretext.corpus import chinese_words, jieba_processes
from foretext.corpus.chinese_words import mark_words, separate_words
from foretext.corpus.jieba_processes import JiebaHelpers, JiebaProcesses

pytest.importorskip("jieba")

LINES = ["小明毕业于清华大学，现在在北京工作。", "", "GPT-4 是 2023 年的！", " ", "\ud800", "é"]


def test_marks_worked_example() -> None:
    assert mark_words("北京大学\n在北京") == "1000" + "1" + "110"
    assert mark_words("") == ""


def test_each_character_has_a_mark_and_words_are_those_of_separate_words() -> None:
    text = "\n".join(LINES)
    marks = mark_words(text)
    assert len(marks) == len(text)
    pieces = "".join(f" {c}" if m == "1" else c for c, m in zip(text, marks, strict=True)).split()
    words = [piece for piece in pieces if any(map(str.isalnum, piece))]
    assert words == separate_words(text).split()


def test_processes_mark_as_this_one() -> None:
    text = "\n".join(LINES)
    with JiebaProcesses(1, "mark") as processes:
        assert processes.cut(text) == mark_words(text)


def test_processes_start_where_there_is_more_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jieba_processes, "LITTLE", 6)
    begun: list[int] = []
    monkeypatch.setattr(JiebaProcesses, "__enter__", lambda self: begun.append(1) or self)
    monkeypatch.setattr(JiebaProcesses, "cut", lambda self, text: "by a process")
    with JiebaHelpers(2, "mark") as several, JiebaHelpers(1, "mark") as one:
        assert [several.cut("北京") for _ in range(5)] == ["10"] * 3 + ["by a process"] * 2
        assert [one.cut("北京") for _ in range(5)] == ["10"] * 5
    assert len(begun) == 1


def test_words_that_somebody_added_are_known_to_this_process_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jieba_processes, "LITTLE", 0)
    monkeypatch.setattr(jieba_processes, "is_jieba_unchanged", lambda: False)
    monkeypatch.setattr(JiebaProcesses, "__enter__", lambda self: pytest.fail("a process began"))
    with JiebaHelpers(2, "mark") as helpers:
        assert helpers.cut("北京") == "10"


def test_without_jieba_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "jieba":
            raise ImportError(name)
        return real(name, *rest)

    chinese_words._cutter.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    sentence = r"Finding the words of Chinese text needs the package 'jieba'; .*foretext\[chinese\]"
    with pytest.raises(MissingExtraError, match=sentence):
        mark_words("北京")
    monkeypatch.undo()
    chinese_words._cutter.cache_clear()
