"""The model of an index, opened when the first query needs it, and only if it is the right one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.search.embedder import Embedder, read_weights
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.search.model_files import fingerprint

__all__ = ["OpenModel", "QueryModel"]

OpenModel = Callable[[Path], Any]


class QueryModel:
    """What turns queries into vectors, as the passages were turned into theirs.

    Args:
        folder: of the index.
        facts: of it.
        open_model: opens a model by its path.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts, open_model: OpenModel) -> None:
        self._folder, self._facts, self._open_model = folder, facts.model, open_model
        self._path, self._fingerprint = folder.kept_model, facts.model.kept

    def use(self, path: Path) -> None:
        """Take the model from its own folder.

        Raises:
            ModelFileError: it is another one.
        """
        found = fingerprint(path)
        if found not in (self._facts.given, self._facts.kept):
            raise ModelFileError(
                f"{path} is not the model that {self._folder.path} was made with "
                f"('{self._facts.name}'): its vectors would not fit; give that model, or make the "
                "index again."
            )
        self._path, self._fingerprint = path, found

    def embed(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors (Q, D) of unit length; zeros of a query without a known word.

        Raises:
            ModelFileError: there is no model, or another one than that of the passages.
        """
        return self._embedder.embed(queries)

    @cached_property
    def _embedder(self) -> Embedder:
        model = self._open_model(self._checked_path())
        if model.vector_size != self._facts.dim:
            raise ModelFileError(
                f"{self._path} gives vectors of {model.vector_size} numbers, and the index has "
                f"{self._facts.dim}; make the index again with --overwrite."
            )
        options = self._facts.options
        weights = read_weights(self._folder.weights, model) if options.weighting == "idf" else None
        return Embedder(model, options, weights)

    def _checked_path(self) -> Path:
        if self._fingerprint is None:
            raise ModelFileError(
                f"{self._folder.path} was made without a copy of its model; give the model "
                f"'{self._facts.name}' with --model (in Python: use_model), or search by words."
            )
        if fingerprint(self._path) != self._fingerprint:
            raise ModelFileError(
                f"{self._path} is not the model that the index was made with; make the index again "
                "with --overwrite."
            )
        return self._path
