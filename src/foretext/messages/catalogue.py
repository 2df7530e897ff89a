"""Messages by key, in the language that the reader chose, else in the system's.

Who chooses, the first that does: `in_language`, for what runs within it; the environment variable
FORETEXT_LANG, which `--lang` sets and which processes pass on to those that they start; the
system's locale.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Any, Literal, get_args

__all__ = [
    "LANGUAGES",
    "TAGS",
    "VARIABLE",
    "Language",
    "MessageTable",
    "areas",
    "choose_language",
    "chosen_language",
    "filled",
    "has_message",
    "in_language",
    "language",
    "message",
    "messages_of",
    "passed_on",
    "system_language",
]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
TAGS = {"en": "en", "zh": "zh-CN"}  # as HTML names them
VARIABLE = "FORETEXT_LANG"

_chosen: ContextVar[Language | None] = ContextVar("foretext_language", default=None)


def message(key: str, /, **values: Any) -> str:
    """Return the message of a key, ``area.table.name``, with its placeholders filled.

    Messages are ours: a key that is absent, or a placeholder without a value, is a defect.
    """
    area, _, name = key.partition(".")
    chosen = language()
    return filled(messages_of(area, chosen)[name], values, chosen)


def filled(text: str, values: Mapping[str, Any], of: Language) -> str:
    """Return a message of a language with its placeholders filled.

    Chinese has a blank between its letters and Latin ones or digits, also where a value begins or
    ends.
    """
    if of == "en":
        return text.format_map(values)
    said = ""
    for before, name, form, _ in _parsed(text):
        said += _apart(said, before)
        if name is not None:
            said += _apart(said, format(values[name], form or ""))
    return said


@cache
def _parsed(text: str) -> tuple[tuple[str, str | None, str | None, str | None], ...]:
    return tuple(Formatter().parse(text))


def _apart(said: str, more: str) -> str:
    """Return what comes next, after a blank where one of the two is Latin and the other Chinese."""
    ends = {_kind(said[-1:]), _kind(more[:1])}
    return f" {more}" if ends == {"Chinese", "Latin"} else more


def _kind(letter: str) -> str:
    if "\u4e00" <= letter <= "\u9fff":
        return "Chinese"
    return "Latin" if letter.isascii() and letter.isalnum() else ""


@dataclass(frozen=True)
class MessageTable:
    """The messages of one thing that is shown: those whose keys begin alike.

    ``MessageTable("insight.tagging")("title")`` is ``message("insight.tagging.title")``.

    Attributes:
        key: with which they begin.
        column: with which the names of a table's columns begin.
    """

    key: str
    column: str = "column_"

    def __call__(self, name: str, /, **values: Any) -> str:
        """Return one of them, with its placeholders filled."""
        return message(f"{self.key}.{name}", **values)

    def columns(self, *names: str, **values: Any) -> list[str]:
        """Return the titles of columns."""
        return [self(f"{self.column}{name}", **values) for name in names]


def has_message(key: str) -> bool:
    """Whether there is a message of a key."""
    area, _, name = key.partition(".")
    return name in messages_of(area, language())


def language() -> Language:
    """Return the language of messages here: what was chosen, else the system's."""
    return chosen_language() or system_language()


def chosen_language() -> Language | None:
    """Return the language that was chosen here; None: it is the system's."""
    if (chosen := _chosen.get()) is not None:
        return chosen
    named = os.environ.get(VARIABLE)
    return next((each for each in LANGUAGES if each == named), None)


def choose_language(chosen: Language | None) -> None:
    """Choose for this process and for those that it starts; None leaves it as it is."""
    if chosen is not None:
        os.environ[VARIABLE] = chosen


def passed_on() -> dict[str, str]:
    """Return the environment for a process that is to speak the language of here."""
    return {**os.environ, VARIABLE: language()}


@contextmanager
def in_language(chosen: Language | None) -> Iterator[None]:
    """Let pages, cards and findings that are made within be in a language.

    Args:
        chosen: "en" or "zh"; None leaves the language as it is.

    >>> with in_language("zh"):
    ...     print(message("marks.center.meaning"))
    中心词
    """
    token = _chosen.set(chosen or _chosen.get())
    try:
        yield
    finally:
        _chosen.reset(token)


def system_language() -> Language:
    """Return the language of the system, where foretext has it, else English."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), None) or locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def areas() -> list[str]:
    """Return the areas of the catalogue, which are its files."""
    names = (file.name for file in _files("en").iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def messages_of(area: str, chosen: Language) -> Mapping[str, str]:
    """Return the messages of one area by their names, ``table.name``."""
    import tomllib  # here, as most commands need few messages or none

    text = (_files(chosen) / f"{area}.toml").read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(text), ""))


def _files(chosen: Language) -> Any:
    from importlib.resources import files

    return files("foretext.messages") / chosen


def _flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
