"""What labelled texts and labelled pairs have in common."""

from __future__ import annotations

from typing import Protocol

__all__ = ["LabelledRow"]


class LabelledRow(Protocol):
    """A text or a pair with its labels."""

    @property
    def text(self) -> str:
        """The text, or both texts of a pair."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All that are right, none for an unlabelled row."""

    @property
    def place(self) -> str:
        """``file:line``."""
