import re
import string

import pytest

from foretext.messages import (
    LANGUAGES,
    MessageTable,
    in_language,
    language,
    message,
    system_language,
)
from foretext.messages.catalogue import areas, messages_of


def placeholders(text: str) -> set[tuple[str, str | None]]:
    """The placeholders of a message, each with the format of its number."""
    return {(name, form) for _, name, form, _ in string.Formatter().parse(text) if name is not None}


def bare(text: str) -> str:
    """A message without its placeholders."""
    return re.sub(r"\{[^}]*\}", "", text)


@pytest.mark.parametrize("area", areas())
def test_every_language_has_the_same_keys_and_placeholders(area: str) -> None:
    english = messages_of(area, "en")
    for chosen in LANGUAGES:
        there = messages_of(area, chosen)
        assert there.keys() == english.keys()
        for key, text in there.items():
            assert placeholders(text) == placeholders(english[key]), key
            assert text.strip() == text != "", key


@pytest.mark.parametrize("area", areas())
def test_chinese_messages_are_chinese(area: str) -> None:
    words = {
        key for key, text in messages_of(area, "en").items() if re.search(r"[a-z]", bare(text))
    }
    for key, text in messages_of(area, "zh").items():
        if key not in words:
            continue  # signs between placeholders
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text), key


def test_a_table_has_its_messages_and_the_titles_of_its_columns() -> None:
    tagging, vectors = MessageTable("insight.tagging"), MessageTable("vectors", "column.")
    with in_language("en"):
        assert tagging("cut", shown=1, words=2) == message("insight.tagging.cut", shown=1, words=2)
        assert tagging.columns("word", "tag") == ["word", "tag"]
        assert vectors.columns("conditional", word="sea") == ["P(context | sea)"]


def test_a_language_is_chosen_for_a_while() -> None:
    with in_language("zh"):
        assert message("marks.center.meaning") == "中心词"
        with in_language("en"):
            assert message("marks.center.meaning") == "the centre word"
        with in_language(None):
            assert language() == "zh"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("zh_CN.UTF-8", "zh"), ("zh_TW", "zh"), ("en_GB.UTF-8", "en"), ("C", "en"), ("de_DE", "en")],
)
def test_the_system_chooses_otherwise(
    monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", name)
    assert system_language() == expected
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert system_language() == "zh"
