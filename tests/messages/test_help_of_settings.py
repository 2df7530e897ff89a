"""What `foretext list --settings` says, in Chinese: every setting, its values and its group."""

from __future__ import annotations

import re
from functools import cache

import pytest

from foretext.finetuning.setting_groups import SettingGroup, known_names, setting_groups
from foretext.messages import in_language, messages_of
from foretext.messages.forms import said_by_form
from foretext.messages.help import group_text, setting_text, values_text

CHINESE = re.compile(r"[\u4e00-\u9fff]")
NAMES = re.compile(r"`[^`]+`|\[[A-Z]+\]|\b[a-z]+_[a-z_]+\b|\d[\d,.]*\d")


@cache
def groups() -> list[SettingGroup]:
    return [group for name in dict.fromkeys(known_names()) for group in setting_groups(name)]


@cache
def sentences() -> dict[str, str]:
    """Each sentence, with the first setting that has it."""
    found: dict[str, str] = {}
    for group in groups():
        for section, settings in group.sections().items():
            for each in settings:
                found.setdefault(" ".join(each.description.split()), f"{section}.{each.name}")
    return found


def test_all_settings_are_translated() -> None:
    """A setting that is new, or whose English has changed, needs its Chinese, too."""
    chinese = messages_of("settings", "zh")
    assert {text: name for text, name in sentences().items() if text not in chinese} == {}
    assert chinese.keys() - sentences().keys() == set()


def test_chinese_sentences_name_the_same() -> None:
    for text, chinese in messages_of("settings", "zh").items():
        assert CHINESE.search(chinese), text
        assert {*NAMES.findall(text)} <= {*NAMES.findall(chinese)}, text


def test_values_and_groups_are_translated() -> None:
    with in_language("zh"):
        for group in groups():
            assert CHINESE.search(group_text(group.title)), group.title
            assert not group.note or CHINESE.search(group_text(group.note)), group.note
            for settings in group.sections().values():
                for each in settings:
                    said = values_text(each.values)
                    assert not re.search(r"[A-Za-z]+ [A-Za-z]+", said), said


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("1 or more, none", "1 或更大、none"),
        ("more than 0, less than 1", "大于 0、小于 1"),
        ("1,048,576 to 2,147,483,648", "1,048,576 到 2,147,483,648"),
        ("adamw, muon", "adamw、muon"),
    ],
)
def test_values(text: str, chinese: str) -> None:
    assert values_text(text) == text
    with in_language("zh"):
        assert values_text(text) == chinese


def test_texts_from_outside_stay_as_they_are() -> None:
    with in_language("zh"):
        assert setting_text("Of a class of the user.") == "Of a class of the user."
        assert group_text("widget w") == "widget w"
        assert said_by_form("usage", "Out of cheese") is None
        assert said_by_form("usage", "Invalid value for '--x': Out of cheese") == (
            "'--x' 的值无效：Out of cheese"
        )
