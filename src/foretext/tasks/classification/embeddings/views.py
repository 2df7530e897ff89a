"""What a classifier sees of a text: vectors of a model that stays as it is, or the words.

Word vectors are averaged by smooth inverse frequency (Arora, Liang & Ma 2017, "A Simple but
Tough-to-Beat Baseline for Sentence Embeddings"): a word weighs a / (a + p(w)), and the direction
that all texts share is taken out. That direction is found once, from the texts of the training,
and kept, so that a single new text gets the vector that it would get among others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from foretext._version import __version__
from foretext.base.errors import CorpusError, GivenError, SettingError
from foretext.base.files import atomic_file
from foretext.base.model_files import copy_model
from foretext.base.replacement import CONFIG
from foretext.corpus.blocks import Advance
from foretext.kinds import opened_embedder
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.classification.linear_storage import LinearConfig

__all__ = ["WORDS", "EmbeddedTexts", "View", "WordFeatures", "common_direction", "without"]

WORDS = "words"  # the name of that view

Features = Any  # (N, D), dense or sparse
Vectors = NDArray[np.float32]


class View(Protocol):
    """Turns texts into features."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def reads_words(self) -> bool:
        """Whether its features are words, not the vector of a model."""
        ...

    @property
    def size(self) -> int:
        """Number of features."""
        ...

    @property
    def lacks_counts(self) -> bool:
        """Whether words weigh the same since nobody knows how frequent they are."""
        ...

    @property
    def direction(self) -> Vectors | None:
        """What is taken out of vectors (D,); None: nothing."""
        ...

    def fitted(self, texts: Sequence[str]) -> Self:
        """Return the view that has learned from texts what it learns from texts alone."""
        ...

    def features(self, texts: Sequence[str], progress: Advance | None = None) -> Features:
        """Return the features of texts, (N, D), each row by its text alone."""
        ...


@dataclass(frozen=True)
class EmbeddedTexts:
    """The vectors of a model that stays as it is.

    Attributes:
        name: the path of the model, or its class.
        model: that embeds.
        source: where its files are; None: it was given opened.
        weighting: of word vectors; None: the model averages by itself.
        a: of the weighting "sif".
        removes: whether a common direction is taken out.
        layer: of a language model; None: as it does by itself.
        direction: (D,), of length 1, found by `fitted`; None: nothing is taken out.
    """

    name: str
    model: Any
    source: Path | None = None
    weighting: str | None = None
    a: float = 1e-3
    removes: bool = False
    layer: int | tuple[int, ...] | None = None
    direction: Vectors | None = None
    reads_words: ClassVar = False

    @classmethod
    def of(cls, base: Any, config: EmbeddingsConfig, name: str | None = None) -> EmbeddedTexts:
        """Return the view of a base.

        Args:
            base: a path, or an opened model.
            config: the settings.
            name: what people call it; None: the path, or the class.

        Raises:
            ForetextError: it embeds no texts.
            GivenError: it is an object, and not a model that a classifier can keep.
            SettingError: counts are needed that the vectors came without.
        """
        is_path = isinstance(base, str | Path)
        model, source = opened_embedder(base) if is_path else (base, None)
        try:
            has_layers, weighs_words = model.has_layers, model.weighs_words
        except AttributeError:
            raise GivenError(
                f"A base of type {type(base).__name__} is neither a path nor a model that a "
                "classifier can keep; give the folder of the model, or an opened WordVectors, "
                "DocumentVectors or LanguageModel."
            ) from None
        view = cls(name or (str(base) if is_path else type(base).__name__), model, source)
        if has_layers:
            return replace(view, layer=config.layer)
        if not weighs_words:
            return view
        weighting = config.weighting or ("mean" if model.counts is None else "sif")
        if weighting == "sif" and model.counts is None:
            raise SettingError(
                f"[embeddings] weighting = 'sif' needs counts of the words, which '{view.name}' "
                "came without; choose 'mean'."
            )
        removes = config.remove_component and weighting == "sif"
        return replace(view, weighting=weighting, a=config.a, removes=removes)

    @property
    def size(self) -> int:
        """Number of dimensions, D."""
        return int(self.model.vector_size)

    @property
    def lacks_counts(self) -> bool:
        """Whether words weigh the same since nobody knows how frequent they are."""
        return self.weighting == "mean" and self.model.counts is None

    def fitted(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Return the view with the direction that is common to texts."""
        if not self.removes:
            return self
        return replace(self, direction=common_direction(self._embedded(texts)))

    def features(self, texts: Sequence[str], progress: Advance | None = None) -> Vectors:
        """Return the vectors of texts, (N, D)."""
        return without(self._embedded(texts, progress), self.direction)

    def write(self, folder: Path) -> str:
        """Write all that opening the model needs into a folder; return the file to open, or "".

        Raises:
            OutputError: it cannot be written.
            SettingError: no file keeps what the model is.
        """
        if self.source is not None and self.source.is_dir():
            copy_model(self.source, folder)
            return ""
        folder.mkdir(parents=True, exist_ok=True)
        name: str = self.model.keep(folder)
        if not name and not (folder / CONFIG).is_file():
            facts = {"foretext": __version__, "kind": self.model.kind}
            with atomic_file(folder / CONFIG) as temporary:
                temporary.write_text(json.dumps(facts), encoding="utf-8", newline="\n")
        return name

    def _embedded(self, texts: Sequence[str], progress: Advance | None = None) -> Vectors:
        options: dict[str, Any] = {}
        if self.weighting is not None:
            options = {"weighting": self.weighting, "a": self.a}
        if self.layer is not None:
            options["layer"] = self.layer
        found = np.asarray(self.model.embed(list(texts), progress=progress, **options), np.float32)
        return np.nan_to_num(found, posinf=0, neginf=0)


def common_direction(vectors: Vectors) -> Vectors | None:
    """Return the first right singular vector of vectors (N, D), (D,); None of fewer than two."""
    if len(vectors) < 2:
        return None
    squares = vectors.T.astype(np.float64) @ vectors.astype(np.float64)
    return np.linalg.eigh(squares)[1][:, -1].astype(np.float32)


def without(vectors: Vectors, direction: Vectors | None) -> Vectors:
    """Return vectors (N, D) without their part along a direction (D,) of length 1."""
    if direction is None:
        return vectors
    along = (vectors.astype(np.float64) * direction).sum(1)
    return (vectors - np.outer(along, direction)).astype(np.float32)


@dataclass(frozen=True)
class WordFeatures:
    """TF-IDF of words and pairs of words, as the linear classifier counts them.

    Attributes:
        config: what a feature is; resolved by `fitted`.
        vectorizer: of scikit-learn; None: nothing was learned yet.
    """

    config: LinearConfig
    vectorizer: Any = None
    name: str = WORDS
    lacks_counts: bool = False  # the rows count them
    direction: None = None  # nothing is taken out
    reads_words: ClassVar = True

    def fitted(self, texts: Sequence[str]) -> WordFeatures:
        """Return the view with the features of texts, and how rare these are.

        Raises:
            CorpusError: the texts have none.
        """
        config = self.config.resolved(texts)
        vectorizer = config.vectorizer()
        try:
            vectorizer.fit(texts)
        except ValueError as error:
            raise CorpusError(f"The texts have no feature ({error}); give longer ones.") from None
        return WordFeatures(config, vectorizer)

    def features(self, texts: Sequence[str], progress: Advance | None = None) -> Features:
        """Return the features of texts, (N, F), sparse, of length 1."""
        if not len(texts):
            from scipy.sparse import csr_matrix

            return csr_matrix((0, len(self.names)), dtype=np.float32)
        found = self.vectorizer.transform(texts)
        if progress is not None:
            progress.advance(len(texts))
        return found

    @property
    def size(self) -> int:
        """Number of features, F."""
        return len(self.vectorizer.vocabulary_)

    @property
    def names(self) -> list[str]:
        """(F,) the features, sorted."""
        names: list[str] = self.vectorizer.get_feature_names_out().tolist()
        return names

    @property
    def idf(self) -> NDArray[np.float32]:
        """(F,) how rare each feature is."""
        return np.asarray(self.vectorizer.idf_, np.float32)
