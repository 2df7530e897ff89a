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

The files of a model that an index keeps, and the fingerprint by which a model is known again. Of
a run or a published folder these are the files that opening it needs; figures, pages, other
programs' weights and the recipe stay behind.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from foretext.base.errors import ForetextError, ModelFileError
from foretext.base.files import is_regular_file, open_file, output_error
from foretext.base.parsing import read_json
from foretext.base.replacement import CONFIG
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.vectors.storage import StorageType

__all__ = [
    "KEPT_VECTORS",
    "KIND",
    "EmbeddingOptions",
    "IndexFacts",
    "IndexFolder",
    "ModelFacts",
    "SourceFacts",
    "copy_model",
    "fingerprint",
]

KIND: Final = "search index"
KEPT_VECTORS = "vectors.safetensors"
Count = Annotated[int, Field(ge=0)]
MOST_DIMENSIONS = 1 << 20

SUFFIXES = (".bin", ".json", ".model", ".safetensors", ".spm", ".tsv", ".txt", ".vocab")
NOT_NEEDED = ("outputs.safetensors", "examination.json", "plan.json", "shared.json", "trials.json")
MODULES = "modules.json"  # of sentence-transformers, which have folders of their own
WEIGHTS, OLDER_WEIGHTS = "model.safetensors", "pytorch_model.bin"  # if both are there, one is read
READ_SIZE = 1 << 22  # bytes


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
            raise ModelFileError(
                f"{self.path} holds no finished index; make one with `foretext index`, or finish "
                "it with --resume."
            )
        facts: IndexFacts = read_json(self.config, ModelFileError, IndexFacts)
        return facts


class _Module(TypedDict):
    path: str


def _model_files(path: Path) -> list[Path]:
    """Return the files of a model: those of a folder, sorted, or the file itself.

    Raises:
        ModelFileError: the folder names a part outside of it.
    """
    if not path.is_dir():
        return [path]
    folders = [path, *_module_folders(path)]
    files = {file for folder in folders for file in folder.iterdir() if _is_needed(file)}
    return sorted(files)


def fingerprint(path: Path) -> str:
    """Return a digest of the contents of a model's files, and of their names in its folder.

    Raises:
        ModelFileError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for file in _model_files(path):
        name = file.relative_to(path).as_posix() if path.is_dir() else ""
        digest.update(f"{name}\n{_digest(file)}\n".encode())
    return digest.hexdigest()[:32]


def copy_model(path: Path, target: Path) -> None:
    """Copy the files of a model's folder.

    Raises:
        OutputError: they cannot be written.
    """
    try:
        for file in _model_files(path):
            place = target / file.relative_to(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    except OSError as error:
        raise output_error(target, error) from error


def _is_needed(file: Path) -> bool:
    if file.name == OLDER_WEIGHTS and (file.parent / WEIGHTS).is_file():
        return False
    return file.suffix in SUFFIXES and file.name not in NOT_NEEDED and is_regular_file(file)


def _module_folders(path: Path) -> list[Path]:
    """Return the folders of the parts of a sentence encoder, which are folders of its folder."""
    if not is_regular_file(path / MODULES):
        return []
    names = [module["path"] for module in read_json(path / MODULES, ModelFileError, list[_Module])]
    for name in names:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ModelFileError(f"{path / MODULES}: '{name}' leads out of the folder.")
    return [path / name for name in names if name and (path / name).is_dir()]


def _digest(file: Path, error: type[ForetextError] = ModelFileError) -> str:
    digest = hashlib.sha256()
    try:
        with open_file(file) as stream:
            while piece := stream.read(READ_SIZE):
                digest.update(piece)
    except OSError as problem:
        raise error(f"{file} cannot be read: {problem.strerror or problem}.") from problem
    return digest.hexdigest()
