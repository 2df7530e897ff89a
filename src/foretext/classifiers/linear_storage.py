"""A linear classifier as ``linear.safetensors``, or as a folder with ``config.json`` beside it.

The tensors are ``features`` and ``labels`` (UTF-8, one after another), ``feature_ends`` (F,) and
``label_ends`` (C,), where each ends in bytes; ``idf`` (F,), ``weights`` (F, C) or (F, 1), and
``bias``. Settings are in the file's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from foretext._version import __version__
from foretext.classifiers.linear import LinearClassifier, LinearConfig
from foretext.errors import ModelFileError, SettingError
from foretext.files import atomic_folder
from foretext.parsing import parse_json, read_tensors, write_tensors
from foretext.replacement import refuse_unfinished

__all__ = ["FILE", "KIND", "load_file", "load_folder", "save_folder", "save_linear"]

KIND = "linear classifier"
FILE, CONFIG_FILE = "linear.safetensors", "config.json"

_TENSORS = {
    "features": ("uint8", 1),
    "feature_ends": ("int64", 1),
    "labels": ("uint8", 1),
    "label_ends": ("int64", 1),
    "idf": ("float32", 1),
    "weights": ("float32", 2),
    "bias": ("float32", 1),
}


class _Settings(BaseModel, extra="allow"):
    """What a file says of itself: the settings, and what the labels are."""

    is_multi_label: bool


def save_folder(folder: Path, classifier: LinearClassifier) -> None:
    """Write the file and what marks the folder, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with atomic_folder(folder) as temporary:
        save_linear(temporary / FILE, classifier)
        facts = {"foretext": __version__, "kind": KIND, "task": "classification"}
        (temporary / CONFIG_FILE).write_text(json.dumps(facts, indent=2) + "\n", "utf-8")


def load_folder(folder: Path) -> LinearClassifier:
    """Read what `save_folder`, or a run, left.

    Raises:
        ModelFileError: there is no such classifier, or a damaged one.
    """
    refuse_unfinished(folder, ModelFileError)
    return load_file(folder / FILE)


def save_linear(path: Path, classifier: LinearClassifier) -> None:
    """Write one file.

    Raises:
        OutputError: it cannot be written.
    """
    tensors: dict[str, NDArray[Any]] = {
        **_texts("feature", classifier.features),
        **_texts("label", classifier.classes_.tolist()),
        "idf": classifier.idf,
        "weights": classifier.weights,
        "bias": classifier.bias,
    }
    settings = {"is_multi_label": classifier.is_multi_label, **classifier.config.model_dump()}
    write_tensors(path, tensors, {"format": KIND, "settings": json.dumps(settings)})


def load_file(path: Path) -> LinearClassifier:
    """Read one file.

    Raises:
        ModelFileError: it is not there, cut off, or holds something else.
    """
    tensors, metadata = read_tensors(path, ModelFileError, _TENSORS)
    where = f"'settings' of {path}"
    settings = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
    try:
        config = LinearConfig.checked(settings.model_extra or {}, "linear")
        features, labels = (_strings(tensors, name) for name in ("feature", "label"))
    except (ValueError, SettingError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    if not _go_together(tensors, features, labels, settings.is_multi_label):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return LinearClassifier.of_parts(
        config,
        labels,
        features,
        tensors["idf"],
        tensors["weights"],
        tensors["bias"],
        is_multi_label=settings.is_multi_label,
    )


def _go_together(
    tensors: dict[str, NDArray[Any]],
    features: list[str],
    labels: list[str],
    is_multi_label: bool,
) -> bool:
    num_outputs = 1 if len(labels) == 2 and not is_multi_label else len(labels)
    return (
        len(labels) >= 2
        and len(set(labels)) == len(labels)
        and len(set(features)) == len(features)
        and tensors["idf"].shape == (len(features),)
        and tensors["weights"].shape == (len(features), num_outputs)
        and tensors["bias"].shape == (num_outputs,)
        and all(np.isfinite(tensors[name]).all() for name in ("idf", "weights", "bias"))
    )


def _texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as bytes, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
    return {f"{name}s": np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends}


def _strings(tensors: dict[str, NDArray[Any]], name: str) -> list[str]:
    """The other way; ValueError where ends and bytes do not go together."""
    whole, ends = tensors[f"{name}s"].tobytes(), tensors[f"{name}_ends"]
    starts = np.insert(ends[:-1], 0, 0)
    if not len(ends) or ends[-1] != len(whole) or (ends < starts).any() or starts[0] != 0:
        raise ValueError(f"the ends of its {name}s do not fit")
    return [whole[start:end].decode() for start, end in zip(starts, ends, strict=True)]
