"""Help of verbs, options and settings in the reader's language.

Help stands in the source, in English, beside what it describes. ``zh/help.toml`` and
``zh/settings.toml`` have each paragraph of it and the same in Chinese; a test knows all of them,
and finds one that is missing, or that has changed in the source alone.
"""

from __future__ import annotations

from inspect import cleandoc

from foretext.messages.catalogue import language, messages_of
from foretext.messages.forms import said_by_form

__all__ = ["group_text", "help_text", "setting_text", "values_text"]


def help_text(text: str) -> str:
    """Return the help of a verb or an option; what has no translation stays as it is."""
    return _translated(text, "help")


def setting_text(text: str) -> str:
    """Return what a setting says of itself; likewise."""
    return _translated(text, "settings")


def group_text(text: str) -> str:
    """Return the title or the note of a group of settings.

    >>> group_text("recipe bert")
    'recipe bert'
    """
    return said_by_form("described", text) or text


def values_text(text: str) -> str:
    """Return the values that a setting takes; those that people write stay as they are.

    >>> values_text("1 or more, none")
    '1 or more, none'
    """
    if language() == "en":
        return text
    return "、".join(said_by_form("described", each) or each for each in text.split(", "))


def _translated(text: str, area: str) -> str:
    chosen = language()
    if chosen == "en":
        return text
    known = messages_of(area, chosen)
    paragraphs = (" ".join(each.split()) for each in cleandoc(text).split("\n\n"))
    return "\n\n".join(known.get(each, each) for each in paragraphs)
