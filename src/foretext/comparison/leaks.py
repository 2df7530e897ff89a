"""Rows that are in two parts at once, where a score says how well they are remembered."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.base.counted import counted
from foretext.base.errors import CorpusError
from foretext.data.rows.text_key import NO_TEXT, text_key

__all__ = ["Leak", "find_leaks"]

MOSTLY = 0.5  # share of rows from which a file is refused
SHOWN = 5  # places

GRAVE = 0.01  # share from which it changes scores

NAMES = {"valid": "held-out", "test": "test"}
PLACES = {"train": "the rows to learn from", "valid": "the held-out rows"}
WHY = {
    "train": "scores on them say how well they are remembered",
    "valid": "models are chosen by them",
}
PAIRS = (
    ("test", "train"),
    ("test", "valid"),
    ("valid", "train"),
)  # a part, and where it must not be


@dataclass(frozen=True)
class Leak:
    """Rows of one part that are in another one too.

    Attributes:
        part: that should be new: "valid" or "test".
        inside: the other one.
        rows: that are in both.
        total: rows of `part`.
        places: of the first ones, ``file:line``.
        searched: share of `inside` that was read.
    """

    part: str
    inside: str
    rows: int
    total: int
    places: tuple[str, ...]
    searched: float = 1.0

    @property
    def rate(self) -> float:
        """Share of `part` that is in both."""
        return self.rows / self.total

    @property
    def is_grave(self) -> bool:
        """Whether it changes scores: a warning, not a note."""
        return self.rate >= GRAVE

    def __str__(self) -> str:
        number = f"{self.rows:,} of {self.total:,} {NAMES[self.part]} rows ({self.rate:.1%})"
        example = f"such as {self.places[0]}"
        if self.inside == "corpus":
            where = "" if self.searched >= 1 else f", of which {self.searched:.0%} were searched"
            return (
                f"{number} have a text that stands in the corpus{where}, {example}; what is "
                "pretrained on it has read them, though not their answers: leave them out of the "
                "corpus to see how good it is at new texts."
            )
        return (
            f"{number} are among {PLACES[self.inside]} too, {example}; {WHY[self.inside]}, so "
            "remove them from one of the two."
        )


def find_leaks(parts: Mapping[str, Sequence[Any]]) -> list[Leak]:
    """Return which rows have a text that is in another part too; rows without text are left out.

    Args:
        parts: rows by "train", "valid" and "test".

    Raises:
        CorpusError: most rows of a part are in another one, so that they measure nothing.
    """
    keys = {part: [text_key(row.text) for row in rows] for part, rows in parts.items()}
    known = {part: {*found} - {NO_TEXT} for part, found in keys.items()}
    found = [_leak(part, inside, parts[part], keys[part], known[inside]) for part, inside in PAIRS]
    return [leak for leak in found if leak is not None]


def _leak(
    part: str, inside: str, rows: Sequence[Any], keys: Sequence[bytes], known: Container[bytes]
) -> Leak | None:
    both = [row for row, key in zip(rows, keys, strict=True) if key in known]
    if not both:
        return None
    leak = Leak(part, inside, len(both), len(rows), tuple(row.place for row in both[:SHOWN]))
    if leak.rate >= MOSTLY:
        raise CorpusError(
            f"--{part}: {leak.rows:,} of {counted(leak.total, 'row')} ({leak.rate:.1%}) are among "
            f"{PLACES[inside]} too, such as {leak.places[0]}; {WHY[inside]}, so give other rows, "
            f"or leave --{part} out."
        )
    return leak
