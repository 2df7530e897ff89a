"""Rows that are in two parts at once, where a score says how well they are remembered."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from foretext.errors import CorpusError

__all__ = ["Leak", "key_of", "leak_between"]

MOSTLY = 0.5  # share of rows from which a file is refused
SHOWN = 5  # places

PARTS = {"train": "the rows to learn from", "valid": "the held-out rows", "test": "the test rows"}
GRAVE = 0.01  # share from which it changes scores


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

    def as_json(self) -> dict[str, Any]:
        """Return what ``compare.json`` keeps."""
        return {**asdict(self), "places": list(self.places), "rate": self.rate}

    @property
    def is_grave(self) -> bool:
        """Whether it changes scores: a warning, not a note."""
        return self.rate >= GRAVE

    def __str__(self) -> str:
        number = f"{self.rows:,} of {self.total:,} {self.part} rows ({self.rate:.1%})"
        example = f"such as {self.places[0]}"
        if self.inside == "corpus":
            where = "" if self.searched >= 1 else f", of which {self.searched:.0%} were searched"
            return (
                f"{number} have a text that stands in the corpus{where}, {example}; what is "
                "pretrained on it has read them, though not their answers: leave them out of the "
                "corpus to see how good it is at new texts."
            )
        return (
            f"{number} are among {PARTS[self.inside]} too, {example}; scores on them say how well "
            "they are remembered, so remove them from one of the two."
        )


def leak_between(parts: Mapping[str, Sequence[Any]], part: str, inside: str) -> Leak | None:
    """Return which rows of a part have a text that is in another one too; None: none has.

    Raises:
        CorpusError: most of them have, so that nothing could be measured.
    """
    known = {key_of(row.text) for row in parts[inside]}
    both = [row for row in parts[part] if key_of(row.text) in known]
    if not both:
        return None
    places = tuple(row.place for row in both[:SHOWN])
    leak = Leak(part, inside, len(both), len(parts[part]), places)
    if leak.rate >= MOSTLY:
        raise CorpusError(
            f"--{part}: {leak.rows:,} of {leak.total:,} rows ({leak.rate:.1%}) are among "
            f"{PARTS[inside]} too, such as {places[0]}, so that scores would say how well they are "
            f"remembered; give other rows, or leave --{part} out."
        )
    return leak


def key_of(text: str) -> bytes:
    """Return a hash of 64 bits, the same for texts that differ in white space, case or width."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode(), digest_size=8).digest()
