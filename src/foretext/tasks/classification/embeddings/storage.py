"""A classifier of frozen vectors as files: heads and settings in one, its bases as folders.

    embeddings.safetensors   labels; weights (D, O) and bias (O,) of each head, the common direction
                             of word vectors, features and idf of words; settings in the metadata
    bases/1/, bases/2/, ...  copies of what embeds texts, each as its own kind keeps it

A folder names no path outside of it: it opens when the bases are gone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.files import atomic_folder
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.base.parsing.tensor_file import check_tensors
from foretext.base.terminal import visible
from foretext.corpus.decoding import Form
from foretext.data.rows.label import Label, kept_values, named_labels
from foretext.kinds import opened_embedder
from foretext.tasks.classification.embeddings.logistic_head import LogisticHead
from foretext.tasks.classification.embeddings.mixture import LearnedBy, LearnedHead
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.classification.embeddings.unlabelled import EM_WEIGHTS
from foretext.tasks.classification.embeddings.views import (
    EmbeddedTexts,
    View,
    WordFeatures,
)
from foretext.tasks.classification.linear_storage import (
    LinearConfig,
    kept_config,
    packed_texts,
    unpacked_texts,
)
from foretext.vectors.word_vectors import KEPT

__all__ = ["BASES", "FILE", "KIND", "EmbeddingParts", "KeptHead", "read_parts", "write_parts"]

KIND = "embedding classifier"
FILE = "embeddings.safetensors"
BASES = "bases"

_LABELS = {"labels": ("uint8", 1), "label_ends": ("int64", 1)}
_WORDS = {"features": ("uint8", 1), "feature_ends": ("int64", 1), "idf": ("float32", 1)}
MOST_VIEWS, MOST_HEADS = 64, 256
SAID = {
    "self-training": "self-trained",
    "propagation": "labels of neighbours",
    "EM 0.03": "naive Bayes with EM, texts weigh 0.03",
    "EM 0.3": "naive Bayes with EM, texts weigh 0.3",
}

Share = Annotated[float, Field(ge=0, le=1.000001, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Number = Annotated[int, Field(ge=0, lt=MOST_VIEWS)]
Figure = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class KeptHead(NamedTuple):
    """A head, the views that it reads, and what cross-validation says of it."""

    name: str  # of its views, and of how it was learned
    views: tuple[int, ...]  # numbers of the views whose features stand side by side
    learned_by: LearnedBy
    head: LogisticHead  # float32
    inverse_penalty: float | None  # None: it has no penalty
    weight: float
    log_loss: float | None = None
    accuracy: float | None = None

    @classmethod
    def of(cls, views: Sequence[View], learned: LearnedHead) -> Self:
        """Return what was learned in the numbers that a file keeps, with a name."""
        weights, bias = (np.asarray(each, np.float32) for each in learned.head)
        head = LogisticHead(np.ascontiguousarray(weights), bias)
        name = _named([views[number] for number in learned.views], learned.learned_by)
        return cls(name, **{**learned._asdict(), "head": head})

    def facts(self) -> dict[str, Any]:
        """Return what card and page say of it."""
        return {
            "view": self.name, "weight": round(self.weight, 4),
            "inverse_penalty": self.inverse_penalty, "log_loss": self.log_loss,
            "accuracy": self.accuracy,
        }  # fmt: skip


def _named(views: Sequence[View], learned_by: LearnedBy) -> str:
    name = " + ".join(str(view.name) for view in views)
    return name if learned_by == "rows" else f"{name}, {SAID[learned_by]}"


class EmbeddingParts(NamedTuple):
    """What an embedding classifier has learned."""

    config: EmbeddingsConfig
    labels: tuple[str, ...]  # each a `Label`, which has its value
    views: Sequence[View]
    heads: Sequence[KeptHead]
    is_multi_label: bool
    form: Form = "NFC"  # of the rows, which texts are brought into
    log_loss: float | None = None
    accuracy: float | None = None


class _View(BaseModel, extra="forbid"):
    """What the metadata say of one view."""

    name: Annotated[str, AfterValidator(visible)]
    base: Literal["folder", "file"] | None = None  # in its folder of `bases`; None: words
    weighting: Literal["sif", "mean"] | None = None
    a: Positive = 1e-3
    has_direction: bool = False
    layer: int | tuple[int, ...] | None = None
    features: dict[str, Any] = {}  # settings of words


class _Head(BaseModel, extra="forbid"):
    """What the metadata say of one head."""

    views: Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST_VIEWS)]
    learned_by: LearnedBy
    inverse_penalty: Positive | None
    weight: Share
    log_loss: Figure | None = None
    accuracy: Share | None = None


class _Settings(BaseModel, extra="forbid"):
    """What the metadata of a file hold."""

    is_multi_label: bool
    form: Form
    label_values: list[str | int | bool] | None = None
    config: dict[str, Any]
    views: Annotated[list[_View], Field(min_length=1, max_length=MOST_VIEWS)]
    heads: Annotated[list[_Head], Field(min_length=1, max_length=MOST_HEADS)]
    log_loss: Figure | None = None
    accuracy: Share | None = None


def write_parts(folder: Path, parts: EmbeddingParts) -> None:
    """Write the file, and copies of the bases.

    Raises:
        OutputError: one cannot be written.
    """
    said, tensors = [], dict(packed_texts("label", parts.labels))
    with atomic_folder(folder / BASES) as bases:
        for number, view in enumerate(parts.views, 1):
            own, more = _described(view, bases / str(number))
            said.append({"name": str(view.name), **own})
            tensors |= more
            if view.direction is not None:
                tensors[f"direction_{number}"] = view.direction
    heads = [_of_head(kept) for kept in parts.heads]
    for number, kept in enumerate(parts.heads, 1):
        tensors |= {f"weights_{number}": kept.head.weights, f"bias_{number}": kept.head.bias}
    settings = {
        "is_multi_label": parts.is_multi_label, "form": parts.form,
        "label_values": kept_values(parts.labels), "config": parts.config.model_dump(),
        "views": said, "heads": heads, "log_loss": parts.log_loss, "accuracy": parts.accuracy,
    }  # fmt: skip
    write_tensors(folder / FILE, tensors, {"format": KIND, "settings": json.dumps(settings)})


def _of_head(kept: KeptHead) -> dict[str, Any]:
    own = kept._asdict()
    return {name: own[name] for name in _Head.model_fields}


def _described(view: Any, folder: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what the metadata say of a view, and its tensors; what embeds is copied."""
    if view.reads_words:
        tensors = {**packed_texts("feature", view.names), "idf": view.idf}
        return {"features": view.config.model_dump()}, tensors
    said = {
        "base": "file" if view.write(folder) else "folder", "weighting": view.weighting,
        "a": view.a, "has_direction": view.direction is not None, "layer": view.layer,
    }  # fmt: skip
    return said, {}


def read_parts(folder: Path) -> EmbeddingParts:
    """Read the file, and open the bases.

    Raises:
        ForetextError: one is missing, truncated, or holds something else.
    """
    path = folder / FILE
    tensors, metadata = read_tensors(path, ModelFileError, _LABELS)
    where = f"'settings' of {path}"
    said = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
    try:
        config = EmbeddingsConfig.checked(said.config, "embeddings")
        labels = named_labels(unpacked_texts(tensors, "label"), said.label_values)
        words = [_words(tensors, view.features) for view in said.views if view.base is None]
    except (ValueError, SettingError, KeyError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    views = [
        _read_view(path, number, view, tensors, words) for number, view in enumerate(said.views, 1)
    ]
    heads = [
        _read_head(path, number, head, tensors, views) for number, head in enumerate(said.heads, 1)
    ]
    found = EmbeddingParts(
        config, tuple(map(Label.read, labels)), views, heads, said.is_multi_label, said.form,
        said.log_loss, said.accuracy,
    )  # fmt: skip
    if not _fit(found):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return found


def _read_head(
    path: Path, number: int, said: _Head, tensors: Mapping[str, Any], views: Sequence[View]
) -> KeptHead:
    expected = {f"weights_{number}": ("float32", 2), f"bias_{number}": ("float32", 1)}
    check_tensors(path, tensors, expected, ModelFileError)
    head = LogisticHead(tensors[f"weights_{number}"], tensors[f"bias_{number}"])
    figures = (said.inverse_penalty, said.weight, said.log_loss, said.accuracy)
    if max(said.views) >= len(views):
        raise ModelFileError(
            f"{path}: a head reads a view that is not there; fetch or write it again."
        )
    name = _named([views[each] for each in said.views], said.learned_by)
    return KeptHead(name, said.views, said.learned_by, head, *figures)


def _read_view(
    path: Path, number: int, said: _View, tensors: Mapping[str, Any], words: list[WordFeatures]
) -> View:
    if said.base is None:
        return words[0]
    if said.has_direction:
        check_tensors(path, tensors, {f"direction_{number}": ("float32", 1)}, ModelFileError)
    folder = path.parent / BASES / str(number)
    model, source = opened_embedder(folder / KEPT if said.base == "file" else folder)
    view = EmbeddedTexts(
        said.name, model, source, said.weighting, said.a, said.has_direction, said.layer,
        tensors.get(f"direction_{number}") if said.has_direction else None,
    )  # fmt: skip
    _refuse_strange(path, view)
    return view


def _refuse_strange(path: Path, view: EmbeddedTexts) -> None:
    """Refuse options that the model does not take."""
    model = view.model
    lacks_counts = view.weighting == "sif" and model.weighs_words and model.counts is None
    if (
        model.weighs_words != (view.weighting is not None)
        or (view.layer is not None and not model.has_layers)
        or lacks_counts
    ):
        raise ModelFileError(
            f"{path}: the base '{view.name}' is another one than the file says; fetch or write it "
            "again."
        )


def _words(tensors: dict[str, NDArray[Any]], settings: dict[str, Any]) -> WordFeatures:
    """Return the view of words.

    Raises:
        ValueError: features and idf do not go together.
        KeyError: a tensor is missing.
        SettingError: a setting is wrong.
    """
    config: LinearConfig = kept_config(settings)
    features, idf = unpacked_texts(tensors, "feature"), tensors["idf"]
    if len(set(features)) != len(features) or idf.shape != (len(features),):
        raise ValueError("features and idf do not go together")
    if idf.dtype != np.float32 or not np.isfinite(idf).all():
        raise ValueError("a number of idf is not finite")
    vectorizer = config.vectorizer(features)
    vectorizer.idf_ = idf
    return WordFeatures(config, vectorizer)


def _fit(parts: EmbeddingParts) -> bool:
    num_labels = len(parts.labels)
    num_outputs = 1 if num_labels == 2 and not parts.is_multi_label else num_labels
    return (
        num_labels >= 2
        and len(set(parts.labels)) == num_labels
        and sum(view.reads_words for view in parts.views) <= 1
        and abs(sum(kept.weight for kept in parts.heads) - 1) < 1e-3
        and all(_view_fits(view) for view in parts.views)
        and all(_head_fits(kept, parts.views, num_outputs) for kept in parts.heads)
    )


def _view_fits(view: Any) -> bool:
    if view.direction is None:
        return True
    return view.direction.shape == (view.size,) and bool(np.isfinite(view.direction).all())


def _head_fits(kept: KeptHead, views: Sequence[View], num_outputs: int) -> bool:
    weights, bias = kept.head
    own = [views[number] for number in kept.views]
    reads_words = [view.reads_words for view in own]
    return (
        (len(own) == 1 or not any(reads_words))
        and (kept.learned_by not in EM_WEIGHTS or all(reads_words))
        and weights.shape == (sum(view.size for view in own), num_outputs)
        and bias.shape == (num_outputs,)
        and all(bool(np.isfinite(each).all()) for each in (weights, bias))
    )
