"""What a search found: passages with scores, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

__all__ = ["Hit", "Place", "Results"]


@dataclass(frozen=True)
class Place:
    """Where a passage stands; the file is named as it was when it was indexed."""

    source: str
    unit: Literal["line", "row"]  # row: of jsonl, csv, tsv and parquet, without header
    first: int  # line or row, from 1
    last: int
    start: int  # characters before the passage, in its file or its row
    end: int

    def __str__(self) -> str:
        if self.unit == "row":
            return f"{self.source}, row {self.first}"
        lines = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.source}:{lines}"


@dataclass(frozen=True)
class Hit:
    """A passage that was found.

    Attributes:
        score: what the results are sorted by: a cosine, the score of BM25, or the sum of reciprocal
            ranks.
        text: the passage.
        place: where it stands first.
        others: further places of the same text.
        cosine: with the query, None where vectors were not asked.
        bm25: score of its words, None where words were not asked.
        row: its number in the index.
    """

    score: float
    text: str
    place: Place
    others: tuple[Place, ...]
    cosine: float | None
    bm25: float | None
    row: int

    @property
    def source(self) -> str:
        """The name of its file."""
        return self.place.source

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "score": self.score,
            "cosine": self.cosine,
            "bm25": self.bm25,
            **_place_as_dict(self.place),
            "text": self.text,
            "others": [_place_as_dict(place) for place in self.others],
        }


@dataclass(frozen=True)
class Results(Sequence[Hit]):
    """The passages that answer one query, the best first, and what there is to say of it."""

    query: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, place: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[place]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of them."""
        hits = [hit.as_dict() for hit in self.hits]
        return {"query": self.query, "results": hits, "notes": list(self.notes)}


def _place_as_dict(place: Place) -> dict[str, Any]:
    return {
        "source": place.source,
        f"{place.unit}s": [place.first, place.last],
        "characters": [place.start, place.end],
    }
