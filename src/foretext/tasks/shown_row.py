"""A row and its answer as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from foretext.tasks.excerpts import excerpt

__all__ = ["ShownRow", "shown_rows"]


class ShownRow(NamedTuple):
    """Texts of at most 300 characters."""

    text: str
    right: str
    given: str


def shown_rows(texts: Iterable[str], right: Sequence[str], given: Sequence[str]) -> list[ShownRow]:
    """Return N rows from their texts, the right answers and those that were given."""
    return [
        ShownRow(*(excerpt(part) for part in parts))
        for parts in zip(texts, right, given, strict=True)
    ]
