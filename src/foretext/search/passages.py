"""The passages of an index: texts and places, which stay on disk until they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.parsing import map_array, map_tensors, read_json
from foretext.search.folder import IndexFacts, IndexFolder, SourceFacts
from foretext.search.results import Place

__all__ = ["PLACE_COLUMNS", "Passages"]

PLACE_COLUMNS = 6  # passage, file, first and last line, first character, the one after the last
TENSORS = {"starts": ("int64", 1), "places": ("int64", 2)}


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
