"""Clauses, sentences and names put together as the reader's language does."""

from __future__ import annotations

from collections.abc import Iterable

from foretext.messages.catalogue import filled, language

__all__ = ["clauses", "commas", "ended", "listed", "sentences"]


def clauses(parts: Iterable[str]) -> str:
    """Return clauses as parts of one sentence: "a; b"."""
    return {"en": "; ", "zh": "；"}[language()].join(parts)


def commas(parts: Iterable[str]) -> str:
    """Return parts with commas between them: "a, b"."""
    return {"en": ", ", "zh": "，"}[language()].join(parts)


def sentences(parts: Iterable[str]) -> str:
    """Return sentences after each other, those that are empty left out."""
    return {"en": " ", "zh": ""}[language()].join(filter(None, parts))


def ended(text: str) -> str:
    """Return a text with a full stop."""
    return text + {"en": ".", "zh": "。"}[language()]


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: "a, b and c"."""
    *first, last = names
    if not first:
        return last
    comma, form = {"en": (", ", "{first} and {last}"), "zh": ("、", "{first}和{last}")}[language()]
    return filled(form, {"first": comma.join(first), "last": last}, language())
