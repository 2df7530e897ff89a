"""Help of verbs, options and settings in the reader's language.

Help stands in the source, in English, beside what it tells of. ``zh/help.toml`` and
``zh/settings.toml`` have each paragraph of it and the same in Chinese; a test knows all of them,
and finds one that is missing, or that has changed in the source alone.
"""

from __future__ import annotations

from inspect import cleandoc

from foretext.messages.catalogue import language, messages_of

__all__ = ["help_text", "setting_text"]


def help_text(text: str) -> str:
    """Return the help of a verb or an option; what has no translation stays as it is."""
    return _translated(text, "help")


def setting_text(text: str) -> str:
    """Return what a setting, or a group of them, says of itself; likewise."""
    return _translated(text, "settings")


def _translated(text: str, area: str) -> str:
    chosen = language()
    if chosen == "en":
        return text
    known = messages_of(area, chosen)
    paragraphs = (" ".join(each.split()) for each in cleandoc(text).split("\n\n"))
    return "\n\n".join(known.get(each, each) for each in paragraphs)
