"""Passages of an index that answer a query."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

from foretext.base.errors import ModelFileError
from foretext.search.search_index import By
from foretext.serving.ability import Ability

__all__ = ["Search", "SearchOptions"]


class SearchOptions(NamedTuple):
    """What a request wants of each query."""

    k: int = 10  # passages
    by: By = "vectors"


class Search(Ability):
    """A query becomes the document of ``foretext search --json``."""

    name: ClassVar[str] = "search"

    def sample(self) -> tuple[str, SearchOptions]:
        """Return a query of one letter."""
        return "a", SearchOptions()

    def get_ready(self) -> None:
        """Load the model, if it is there; an index that has lost it still finds by words."""
        with suppress(ModelFileError):
            super().get_ready()

    def run(self, items: Sequence[str], options: Hashable) -> list[dict[str, Any]]:
        """Return what is found for each query; see `Ability.run`."""
        assert isinstance(options, SearchOptions)
        found = self.model.search(list(items), options.k, by=options.by)
        return [results.as_dict() for results in found]
