"""Clauses, sentences and names put together as the reader's language does."""

from __future__ import annotations

from collections.abc import Iterable

from foretext.messages.catalogue import language

__all__ = ["clauses", "commas", "listed", "sentences"]


def clauses(parts: Iterable[str]) -> str:
    """Return clauses as parts of one sentence: "a; b"."""
    return {"en": "; ", "zh": "；"}[language()].join(parts)


def commas(parts: Iterable[str]) -> str:
    """Return parts with commas between them: "a, b"."""
    return {"en": ", ", "zh": "，"}[language()].join(parts)


def sentences(parts: Iterable[str]) -> str:
    """Return sentences after each other, those that are empty left out."""
    return {"en": " ", "zh": ""}[language()].join(filter(None, parts))


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: "a, b and c"."""
    *first, last = names
    comma, joint = {"en": (", ", " and "), "zh": ("、", "和")}[language()]
    return f"{comma.join(first)}{joint}{last}" if first else last
