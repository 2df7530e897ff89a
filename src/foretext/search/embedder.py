"""A model as an index uses it: the same options for passages and for queries, and unit length."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.search.folder import EmbeddingOptions
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.text_embedding import idf_weights

__all__ = ["Embedder", "EmbeddingModel", "idf_of", "read_weights", "write_weights"]


class EmbeddingModel(Protocol):
    """What turns texts into vectors: word vectors, document vectors, topics, language models."""

    @property
    def vector_size(self) -> int:
        """Numbers of a vector, D."""
        ...

    @property
    def text_room(self) -> int | None:
        """Size of a text that the model reads at once; None: of any size."""
        ...

    @property
    def weighs_words(self) -> bool:
        """Whether `embed` takes a weight of each word, as `weighting`."""
        ...

    @property
    def has_layers(self) -> bool:
        """Whether `embed` takes a pooling and a layer."""
        ...

    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return the size of each text, in the tokens or words of the model."""
        ...

    def embed(self, texts: Any, **options: Any) -> NDArray[np.float32]:
        """Return one vector a text, (N, D)."""
        ...


class Embedder:
    """Turns passages and queries into vectors of unit length.

    Args:
        model: that embeds.
        options: how.
        weights: of the words (V,), for the weighting "idf".

    Raises:
        SettingError: an option has no effect on this model.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        options: EmbeddingOptions,
        weights: NDArray[np.float32] | None = None,
    ) -> None:
        if options.weighting is not None and not model.weighs_words:
            raise SettingError(
                f"weighting = '{options.weighting}' has no effect: this model weighs words by "
                "itself; leave it out."
            )
        if not model.has_layers and (options.pooling is not None or options.layers is not None):
            raise SettingError(
                "pooling and layer have no effect on this model, which has no layers; leave them "
                "out."
            )
        self.model = model
        self.options = options
        self.weights = weights

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors (N, D) of unit length; zeros where no word of a text is known."""
        normal = [unicodedata.normalize("NFC", text) for text in texts]
        given: dict[str, Any] = {
            "weighting": self.options.weighting if self.weights is None else self.weights,
            "pooling": self.options.pooling,
            "layer": self.options.layers,
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        vectors = np.asarray(self.model.embed(normal, **chosen), np.float32)
        return unit_rows(np.nan_to_num(vectors, posinf=0, neginf=0))


def idf_of(model: Any, texts: Iterable[list[str]]) -> NDArray[np.float32]:
    """Return a weight of each word (V,) by how rare it is in some passages, given in blocks."""
    num_with = np.zeros(len(model), np.int64)
    num_texts = 0
    for block in texts:
        num_with += model.num_texts_with(block)
        num_texts += len(block)
    return idf_weights(num_with, num_texts)


def write_weights(path: Path, weights: NDArray[np.float32]) -> None:
    """Keep the weights of words, with which queries are embedded too."""
    write_tensors(path, {"weights": weights})


def read_weights(path: Path, model: Any) -> NDArray[np.float32]:
    """Read what `write_weights` wrote.

    Raises:
        ModelFileError: the file is damaged, or of other words.
    """
    found = read_tensors(path, ModelFileError, {"weights": ("float32", 1)})
    weights: NDArray[np.float32] = found.tensors["weights"]
    if len(weights) != len(model) or not np.isfinite(weights).all():
        raise ModelFileError(
            f"{path} is damaged: it has {len(weights):,} weights for {len(model):,} words; make "
            "the index again with --overwrite."
        )
    return weights
