"""A linear matcher as one file, ``overlap.safetensors``.

The tensors are ``weights`` (F, O) and ``bias`` (O,), and of labels ``labels`` (UTF-8, one after
another) and ``label_ends`` (C,), where each ends in bytes. Settings are in the file's metadata.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.base.parsing.tensor_file import check_tensors
from foretext.corpus.decoding import Form
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES, OverlapFeatures
from foretext.data.rows.label import Label, kept_values, named_labels
from foretext.tasks.classification.linear_storage import packed_texts, unpacked_texts
from foretext.tasks.matching.pair_regression import PairRegression, PairRegressionConfig

__all__ = ["FILE", "KIND", "LinearMatcherParts", "read_parts", "write_parts"]

KIND = "linear matcher"
FILE = "overlap.safetensors"

_WEIGHTS = {"weights": ("float64", 2), "bias": ("float64", 1)}
_LABELS = {"labels": ("uint8", 1), "label_ends": ("int64", 1)}


class LinearMatcherParts(NamedTuple):
    """What a linear matcher has learned."""

    config: PairRegressionConfig
    labels: tuple[Label, ...]  # (): answers are scores
    overlap: OverlapFeatures
    regression: PairRegression
    form: Form = "NFC"  # of the rows, which texts are brought into


class _Settings(BaseModel, extra="forbid"):
    """What the metadata of a file hold."""

    config: dict[str, Any]
    has_scores: bool
    label_values: list[str | int | bool] | None = None
    words: PreTokenizerKind
    edition: Literal[1, 2]
    form: Form


def write_parts(path: Path, parts: LinearMatcherParts) -> None:
    """Write one file.

    Raises:
        OutputError: it cannot be written.
    """
    tensors: dict[str, NDArray[Any]] = parts.regression._asdict()
    if parts.labels:
        tensors |= packed_texts("label", parts.labels)
    settings = {
        "config": parts.config.model_dump(), "has_scores": not parts.labels,
        "label_values": kept_values(parts.labels), "words": parts.overlap.kind,
        "edition": parts.overlap.edition, "form": parts.form,
    }  # fmt: skip
    write_tensors(path, tensors, {"format": KIND, "settings": json.dumps(settings)})


def read_parts(path: Path) -> LinearMatcherParts:
    """Read one file.

    Raises:
        ModelFileError: it is missing, truncated, or holds something else.
        MissingExtraError: words are those of jieba, which is not installed.
    """
    tensors, metadata = read_tensors(path, ModelFileError, _WEIGHTS)
    where = f"'settings' of {path}"
    said = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
    if not said.has_scores:
        check_tensors(path, tensors, _LABELS, ModelFileError)
    try:
        config = PairRegressionConfig.checked(said.config, "linear")
        names = [] if said.has_scores else unpacked_texts(tensors, "label")
        labels = named_labels(names, said.label_values if names else None)
    except (ValueError, SettingError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    regression = PairRegression(tensors["weights"], tensors["bias"])
    if not _fit(labels, regression, has_scores=said.has_scores):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    overlap = OverlapFeatures(said.words, said.edition, said.form)
    return LinearMatcherParts(config, labels, overlap, regression, said.form)


def _fit(labels: tuple[Label, ...], regression: PairRegression, *, has_scores: bool) -> bool:
    num_labels = len(labels)
    num_outputs = num_labels if num_labels > 2 else 1
    return (
        (has_scores or num_labels >= 2)
        and len(set(labels)) == num_labels
        and regression.weights.shape == (NUM_OVERLAP_FEATURES, num_outputs)
        and regression.bias.shape == (num_outputs,)
        and all(bool(np.isfinite(array).all()) for array in regression)
    )
