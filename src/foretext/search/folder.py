"""The folder of a search index: its files, and what its `config.json` says.

    config.json             what the folder holds; it marks an index that is finished
    passages.txt            the texts of all passages, UTF-8, a line end after each
    passages.safetensors    where each text begins, and the places where it stands
    sources.json            the files that were read: their names are shown, never opened
    embeddings.safetensors  a vector of each passage, of unit length up to its scale
    words.safetensors       the inverted index: which words are in which passages
    weights.safetensors     weights of words, where word vectors were averaged by them
    graph.usearch           the graph of neighbours, where there is one
    model/                  the model that turns queries into vectors
    replacement/            the index that is to take this one's place, while it is being written

Nothing in it is a pickle, and nothing in it names a file to open.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from foretext.base.errors import ModelFileError
from foretext.base.files import is_regular_file
from foretext.base.parsing import read_json
from foretext.base.replacement import CONFIG
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.messages import message
from foretext.vectors.storage import StorageType

__all__ = [
    "KEPT_VECTORS",
    "KIND",
    "EmbeddingOptions",
    "IndexFacts",
    "IndexFolder",
    "ModelFacts",
    "SourceFacts",
]

KIND: Final = "search index"
KEPT_VECTORS = "vectors.safetensors"
Count = Annotated[int, Field(ge=0)]
MOST_DIMENSIONS = 1 << 20


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class EmbeddingOptions(_Facts):
    """How the model turns texts into vectors; None: as it does by itself."""

    weighting: Literal["mean", "sif", "idf"] | None = None
    pooling: Literal["mean", "cls", "max"] | None = None
    layers: tuple[int, ...] | None = None


class ModelFacts(_Facts):
    """The model that made the vectors."""

    name: str  # as it was given
    given: str  # fingerprint of what was given
    kept: str | None  # fingerprint of the copy in the index; None: there is none
    dim: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)]
    options: EmbeddingOptions


WordForm = Literal["NFC", "NFKC"]


class IndexFacts(_Facts):
    """What `config.json` says of an index."""

    kind: Literal["search index"]
    foretext: str  # version
    passages: Count
    places: Count
    length: Annotated[int, Field(ge=1)]  # tokens or words of a passage, at most
    overlap: Count
    keep_duplicates: bool
    dtype: StorageType
    words: PreTokenizerKind  # what a word is
    words_edition: Annotated[int, Field(ge=1, le=2)] = 1  # of its rules
    words_form: WordForm = "NFC"  # Unicode form in which words are counted
    model: ModelFacts


class SourceFacts(_Facts):
    """A file that was read."""

    name: str
    state: str  # digest of its full path, size and time of change
    unit: Literal["line", "row"]


class IndexFolder:
    """Where each part of an index stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / CONFIG
        self.texts = path / "passages.txt"
        self.passages = path / "passages.safetensors"
        self.sources = path / "sources.json"
        self.embeddings = path / "embeddings.safetensors"
        self.words = path / "words.safetensors"
        self.weights = path / "weights.safetensors"
        self.graph = path / "graph.usearch"
        self.model = path / "model"

    @property
    def kept_model(self) -> Path:
        """The copy of the model: a folder, or in it the vectors that a file held."""
        vectors = self.model / KEPT_VECTORS
        is_folder = is_regular_file(self.model / CONFIG) or not is_regular_file(vectors)
        return self.model if is_folder else vectors

    def facts(self) -> IndexFacts:
        """Return what `config.json` says.

        Raises:
            ModelFileError: there is none, or it is damaged.
        """
        if not is_regular_file(self.config):
            raise ModelFileError(message("files.index.none", path=self.path))
        facts: IndexFacts = read_json(self.config, ModelFileError, IndexFacts)
        return facts
