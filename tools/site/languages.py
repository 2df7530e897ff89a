"""The two languages of the site, and where the pages of each lie."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["CHINESE", "ENGLISH", "LANGUAGES", "Language"]


class Language(NamedTuple):
    """A language, in which the whole site is built."""

    code: Literal["en", "zh"]
    folder: str  # of its pages within the site, with a slash at its end; empty: the site itself

    def say(self, english: str, chinese: str) -> str:
        """Return what a page says in this language."""
        return chinese if self.code == "zh" else english


ENGLISH = Language("en", "")
CHINESE = Language("zh", "zh/")
LANGUAGES = (ENGLISH, CHINESE)
