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
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from foretext._version import __version__
from foretext.errors import ForetextError, ModelFileError
from foretext.files import atomic_file, atomic_folder
from foretext.task_models.linear import LinearClassifier, LinearConfig

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
    with atomic_file(path) as temporary:
        save_file(tensors, temporary, {"format": KIND, "settings": json.dumps(settings)})


def load_file(path: Path) -> LinearClassifier:
    """Read one file.

    Raises:
        ModelFileError: it is not there, cut off, or holds something else.
    """
    tensors, metadata = _read(path)
    try:
        settings = json.loads(metadata["settings"])
        is_multi_label = settings.pop("is_multi_label")
        config = LinearConfig.checked(settings, "linear")
        features, labels = (_strings(tensors, name) for name in ("feature", "label"))
    except (KeyError, ValueError, AttributeError, ForetextError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    num_outputs = 1 if len(labels) == 2 and not is_multi_label else len(labels)
    if (
        tensors["idf"].shape != (len(features),)
        or tensors["weights"].shape != (len(features), num_outputs)
        or tensors["bias"].shape != (num_outputs,)
    ):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return LinearClassifier.of_parts(
        config,
        labels,
        features,
        tensors["idf"],
        tensors["weights"],
        tensors["bias"],
        is_multi_label=bool(is_multi_label),
    )


def _read(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    if not path.is_file():
        raise ModelFileError(f"{path}: there is no such file; train or fetch the model again.")
    try:
        with safe_open(path, "numpy") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ModelFileError(
            f"{path}: this is no whole safetensors file ({error}); fetch or write it again."
        ) from error
    for name, (dtype, num_axes) in _TENSORS.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.dtype != dtype or tensor.ndim != num_axes:
            raise ModelFileError(
                f"{path}: no tensor '{name}' of {num_axes} axes and type {dtype} is in it; this is "
                "no linear classifier."
            )
    return tensors, metadata


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
