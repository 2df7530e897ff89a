"""A linear tagger as files: features, tags and weights in one, its vectors as a folder.

    chain.safetensors   weights (F + K D, C) and steps (C, C); features and tags (UTF-8, one after
                        another) and where each ends; settings in the metadata
    bases/1/            a copy of the word vectors that it reads, as their own kind keeps them

A folder names no path outside of it: it opens when the vectors are gone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field

from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.files import atomic_folder
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.base.terminal import visible
from foretext.corpus.decoding import Form
from foretext.heads.tag_set import TagSet
from foretext.metrics import Scheme, TagForm
from foretext.tasks.classification.embeddings.storage import BASES
from foretext.tasks.classification.embeddings.views import EmbeddedTexts
from foretext.tasks.classification.linear_storage import packed_texts, unpacked_texts
from foretext.tasks.tagging.chain_regression import Chain
from foretext.tasks.tagging.learned_rates import LearnedRates, Rate
from foretext.tasks.tagging.linear_features import FrozenVectors, TokenReader
from foretext.vectors.word_vectors import KEPT

__all__ = ["FILE", "KIND", "LinearTaggerConfig", "LinearTaggerParts", "read_parts", "write_parts"]

KIND = "linear tagger"
FILE = "chain.safetensors"

_TENSORS = {
    "features": ("uint8", 1), "feature_ends": ("int64", 1), "tags": ("uint8", 1),
    "tag_ends": ("int64", 1), "weights": ("float32", 2), "steps": ("float32", 2),
}  # fmt: skip


class LinearTaggerConfig(Config):
    """A linear-chain CRF over words and vectors."""

    inverse_penalty: float = Field(default=3.0, gt=0)
    """Inverse strength C of the L2 penalty; CRFsuite's c2 is 1 / (2 C)."""
    vector_length: float = Field(default=3.0, gt=0, le=100)
    """Length that all vectors are scaled to; longer ones are penalised less."""
    min_count: int = Field(default=1, ge=1)
    """Tokens at which a feature must occur, or it is left out."""
    max_passes: int = Field(default=200, ge=1)
    """Passes over the sentences, at most."""


class LinearTaggerParts(NamedTuple):
    """What a linear tagger has learned: F features, C tags."""

    config: LinearTaggerConfig
    tag_set: TagSet
    reader: TokenReader
    chain: Chain
    learned: LearnedRates


class _Rates(BaseModel, extra="forbid"):
    tagged: Rate
    unknown: Rate
    capital: Rate


class _Vectors(BaseModel, extra="forbid"):
    name: Annotated[str, AfterValidator(visible)]
    base: Literal["file", "folder"]


class _Settings(BaseModel, extra="forbid"):
    """What the metadata of a file hold."""

    config: dict[str, Any]
    scheme: Scheme | None
    tag_form: TagForm
    by_character: bool
    form: Form
    learned: _Rates
    vectors: _Vectors | None


def write_parts(folder: Path, parts: LinearTaggerParts) -> None:
    """Write the file, and a copy of the vectors.

    Raises:
        OutputError: it cannot be written.
        SettingError: no file keeps what the vectors are.
    """
    reader, vectors = parts.reader, None
    if reader.vectors is not None:
        own = reader.vectors
        with atomic_folder(folder / BASES) as temporary:
            base = EmbeddedTexts(own.name, own.model, own.source).write(temporary / "1")
        vectors = {"name": own.name, "base": "file" if base else "folder"}
    tensors: dict[str, NDArray[Any]] = {
        **packed_texts("feature", reader.names),
        **packed_texts("tag", parts.tag_set.labels),
        **parts.chain._asdict(),
    }
    settings = {
        "config": parts.config.model_dump(), "scheme": parts.tag_set.scheme,
        "tag_form": parts.tag_set.form, "by_character": reader.by_character, "form": reader.form,
        "learned": parts.learned._asdict(), "vectors": vectors,
    }  # fmt: skip
    write_tensors(folder / FILE, tensors, {"format": KIND, "settings": json.dumps(settings)})


def read_parts(folder: Path) -> LinearTaggerParts:
    """Read the file, and open the vectors.

    Raises:
        ForetextError: one is missing, truncated, or holds something else.
    """
    path = folder / FILE
    tensors, metadata = read_tensors(path, ModelFileError, _TENSORS)
    where = f"'settings' of {path}"
    said = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
    try:
        config = LinearTaggerConfig.checked(said.config, "linear")
        names, labels = (unpacked_texts(tensors, name) for name in ("feature", "tag"))
        tag_set = TagSet(labels, said.scheme, form=said.tag_form)
    except (ValueError, SettingError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    vectors = None if said.vectors is None else _read_vectors(folder, said.vectors)
    reader = TokenReader(names, said.by_character, vectors, config.vector_length, said.form)
    chain = Chain(tensors["weights"], tensors["steps"])
    if not _fit(tag_set, reader, chain):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return LinearTaggerParts(
        config, tag_set, reader, chain, LearnedRates(**said.learned.model_dump())
    )


def _read_vectors(folder: Path, said: _Vectors) -> FrozenVectors:
    base = folder / BASES / "1"
    try:
        found = FrozenVectors.of(base / KEPT if said.base == "file" else base)
    except SettingError as error:
        raise ModelFileError(f"{folder / FILE}: {error}") from error
    assert found is not None
    return FrozenVectors(said.name, found.model, found.source)


def _fit(tag_set: TagSet, reader: TokenReader, chain: Chain) -> bool:
    num_tags = len(tag_set.labels)
    return (
        num_tags >= 2
        and len(set(tag_set.labels)) == num_tags
        and len(set(reader.names)) == len(reader.names)
        and chain.weights.shape == (reader.num_weights, num_tags)
        and chain.steps.shape == (num_tags, num_tags)
        and all(bool(np.isfinite(array).all()) for array in chain)
    )
