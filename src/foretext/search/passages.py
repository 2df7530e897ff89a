"""The passages of an index: texts and places, which stay on disk until they are shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, overload

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.files import open_file, output_error
from foretext.base.parsing import map_array, map_tensors, read_json, write_tensors
from foretext.search.cutting import Passage
from foretext.search.folder import IndexFacts, IndexFolder, SourceFacts

__all__ = ["Hit", "PassageWriter", "Passages", "Place", "Results"]

PLACE_COLUMNS = 6  # passage, file, first and last line, first character, the one after the last
TENSORS = {"starts": ("int64", 1), "places": ("int64", 2)}

BUFFERED = 1 << 14  # places that are turned into an array together


class Passages:
    """Texts by their number, and where each of them stands.

    Raises:
        ModelFileError: a file is missing or damaged.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        self._folder = folder
        tensors = map_tensors(folder.passages, ModelFileError, TENSORS)
        self._starts, self._places = tensors["starts"], tensors["places"]  # (N + 1,), (P, 6)
        if len(self._starts) != facts.passages + 1 or self._places.shape != (
            facts.places,
            PLACE_COLUMNS,
        ):
            self._refuse()
        self._sources: list[SourceFacts] = read_json(
            folder.sources, ModelFileError, list[SourceFacts]
        )
        self._texts = map_array(folder.texts, "uint8", int(self._starts[-1]), ModelFileError)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def num_bytes(self) -> int:
        """Bytes of all texts in UTF-8."""
        return int(self._starts[-1])

    @property
    def sources(self) -> list[SourceFacts]:
        """The files that were read."""
        return self._sources

    def text(self, row: int) -> str:
        """Return the text of a passage."""
        start, end = map(int, self._starts[row : row + 2])
        if not 0 <= start < end <= len(self._texts):
            self._refuse()
        return self._texts[start : end - 1].tobytes().decode("utf-8", "replace")

    def texts(self, first: int, last: int) -> list[str]:
        """Return the texts of the passages from `first` on and before `last`."""
        return [self.text(row) for row in range(first, last)]

    def places(self, row: int) -> tuple[Place, ...]:
        """Return where a passage stands, at least one place, in the order of reading."""
        first, last = np.searchsorted(self._places[:, 0], [row, row + 1])
        found = tuple(map(self._place, self._places[first:last]))
        if not found:
            self._refuse()
        return found

    def all_places(self) -> NDArray[np.int64]:
        """Return all places (P, 6), by passage."""
        return self._places

    def rows_of(self, name: str) -> Iterator[tuple[int, Place]]:
        """Yield the passages of a file, each with its place there."""
        for number, source in enumerate(self._sources):
            if source.name == name:
                for entry in self._places[self._places[:, 1] == number]:
                    yield self._checked_row(int(entry[0])), self._place(entry)

    def _place(self, entry: NDArray[np.int64]) -> Place:
        _, number, *numbers = map(int, entry)
        if not 0 <= number < len(self._sources):
            self._refuse()
        source = self._sources[number]
        return Place(source.name, source.unit, *numbers)

    def _checked_row(self, row: int) -> int:
        if not 0 <= row < len(self):
            self._refuse()
        return row

    def _refuse(self) -> NoReturn:
        raise ModelFileError(
            f"{self._folder.path} is damaged: its passages are not where it says; make the index "
            "again with --overwrite."
        )


class PassageWriter:
    """Writes `passages.txt` while texts are read, and the places at the end.

    Args:
        folder: of the new index.
        keep_duplicates: a text that stands at several places becomes a passage at each.
        before: passages of an index that grows; their texts must be in `folder` already.
    """

    def __init__(
        self, folder: IndexFolder, *, keep_duplicates: bool = False, before: Passages | None = None
    ) -> None:
        self._folder = folder
        self._keep_duplicates = keep_duplicates
        self._rows: dict[bytes, int] = {}  # digest of a text -> its passage
        self._starts = [0]
        self._places: list[tuple[int, ...]] = []
        self._blocks: list[NDArray[np.int64]] = []
        if before is not None:
            self._take(before)
        mode = "wb" if before is None else "ab"
        try:
            self._file = open_file(folder.texts, mode)
        except OSError as error:
            raise output_error(folder.texts, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._file.close()  # writes what is left
        except OSError as problem:
            raise output_error(self._folder.texts, problem) from problem

    @property
    def num_passages(self) -> int:
        """Passages so far."""
        return len(self._starts) - 1

    def add(self, passage: Passage, source: int) -> None:
        """Add a passage of the file number `source`.

        Raises:
            OutputError: it cannot be written.
        """
        data = passage.text.encode("utf-8", "replace") + b"\n"
        digest = _digest(data)
        row = None if self._keep_duplicates else self._rows.get(digest)
        if row is None:
            row = self._rows[digest] = self.num_passages
            self._write(data)
            self._starts.append(self._starts[-1] + len(data))
        lines = passage.first_line, passage.last_line
        self._places.append((row, source, *lines, passage.start, passage.end))
        if len(self._places) >= BUFFERED:
            self._pack()

    def finish(self) -> int:
        """Write where everything is, and return the number of places.

        Raises:
            OutputError: it cannot be written.
        """
        self._write(b"", flush=True)
        self._pack()
        places = np.concatenate([np.empty((0, PLACE_COLUMNS), np.int64), *self._blocks])
        places = places[np.argsort(places[:, 0], kind="stable")]
        starts = np.array(self._starts, np.int64)
        write_tensors(self._folder.passages, {"starts": starts, "places": places})
        return len(places)

    def _take(self, before: Passages) -> None:
        """Go on behind the passages that are there."""
        for row in range(len(before)):
            data = before.text(row).encode("utf-8", "replace") + b"\n"
            self._rows.setdefault(_digest(data), row)
            self._starts.append(self._starts[-1] + len(data))
        self._blocks.append(np.array(before.all_places()))
        written = self._folder.texts.stat().st_size
        if written != self._starts[-1]:
            raise ModelFileError(
                f"{self._folder.path} is damaged: its texts are not UTF-8; make the index again "
                "with --overwrite."
            )

    def _pack(self) -> None:
        if self._places:
            self._blocks.append(np.array(self._places, np.int64))
            self._places = []

    def _write(self, data: bytes, *, flush: bool = False) -> None:
        try:
            self._file.write(data)
            if flush:
                self._file.flush()
        except OSError as error:
            raise output_error(Path(self._file.name), error) from error


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


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

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "source": self.source,
            f"{self.unit}s": [self.first, self.last],
            "characters": [self.start, self.end],
        }


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
            **self.place.as_dict(),
            "text": self.text,
            "others": [place.as_dict() for place in self.others],
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
