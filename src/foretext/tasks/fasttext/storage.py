"""A classifier as a folder: ``model.safetensors``, and ``config.json`` beside it.

The tensors are ``words`` and ``labels`` (UTF-8, line ends between them), their ``word_counts`` and
``label_counts``; ``word_rows`` (V,), ``buckets`` (B,) and ``bucket_rows`` (B,), which row each has;
``outputs`` (O, D); and the rows: ``rows`` (R, D) float32, or ``codes`` (R, P) uint8 with
``centroids`` (P, 256, S), and ``norm_codes`` (R,) with ``norm_centroids`` where lengths are apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from foretext._version import __version__
from foretext.errors import VectorFileError
from foretext.files import atomic_file, atomic_folder
from foretext.tasks.fasttext.config import FastTextClassifierConfig
from foretext.tasks.fasttext.dictionary import Dictionary
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.output_layer import OutputLayer
from foretext.tasks.fasttext.product_quantizer import ProductQuantizer
from foretext.tasks.fasttext.quantisation import QuantisedRows
from foretext.tasks.fasttext.rows import DenseRows, Rows
from foretext.vectors.formats.streams import encoded_words

__all__ = ["KIND", "described", "load_folder", "load_model", "save_folder", "save_model"]

KIND = "fasttext classifier"
CONFIG_FILE, MODEL_FILE = "config.json", "model.safetensors"

_OF_THIS_MACHINE = {"workers"}  # settings that another one chooses for itself
_TENSORS = {
    "words": ("uint8", 1),
    "word_counts": ("int64", 1),
    "labels": ("uint8", 1),
    "label_counts": ("int64", 1),
    "word_rows": ("int32", 1),
    "buckets": ("int32", 1),
    "bucket_rows": ("int32", 1),
    "outputs": ("float32", 2),
}
_DENSE = {"rows": ("float32", 2)}
_CODED = {"codes": ("uint8", 2), "centroids": ("float32", 3)}
_NORMS = {"norm_codes": ("uint8", 1), "norm_centroids": ("float32", 3)}


def save_folder(path: Path, model: FastTextModel) -> None:
    """Write the folder, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with atomic_folder(path) as folder:
        save_model(folder / MODEL_FILE, model)
        text = json.dumps(described(model), indent=2, ensure_ascii=False)
        (folder / CONFIG_FILE).write_text(text + "\n", encoding="utf-8")


def load_folder(path: Path) -> FastTextModel:
    """Read what `save_folder` wrote, or a run's folder.

    Raises:
        VectorFileError: there is no classifier, or a damaged one.
    """
    try:
        facts = json.loads((path / CONFIG_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise VectorFileError(f"{path} holds no finished classifier: {error}.") from error
    if not isinstance(facts, dict) or facts.get("kind") != KIND:
        raise VectorFileError(f"{path} holds no classifier of fastText; name the folder of one.")
    config = FastTextClassifierConfig.checked(facts["classifier"], "classifier")
    return load_model(path / MODEL_FILE, config, pruned=bool(facts.get("pruned")))


def described(model: FastTextModel) -> dict[str, Any]:
    """Return what ``config.json`` says of a model."""
    dictionary = model.dictionary
    return {
        "foretext": __version__,
        "kind": KIND,
        "words": len(dictionary),
        "labels": len(dictionary.labels),
        "rows": len(model.rows),
        "quantised": isinstance(model.rows, QuantisedRows),
        "pruned": model.pruned,
        "classifier": dictionary.config.model_dump(exclude=_OF_THIS_MACHINE, exclude_none=True),
    }


def save_model(path: Path, model: FastTextModel) -> None:
    """Write the tensors.

    Raises:
        OutputError: the file cannot be written.
        VectorFileError: a label holds a line end.
    """
    dictionary = model.dictionary
    tensors: dict[str, NDArray[Any]] = {
        "words": _text(dictionary.words, path),
        "word_counts": dictionary.counts,
        "labels": _text(dictionary.labels, path),
        "label_counts": dictionary.label_counts,
        "word_rows": model.word_rows,
        "buckets": model.buckets.astype(np.int32),
        "bucket_rows": model.bucket_rows,
        "outputs": model.outputs,
    }
    tensors |= _row_tensors(model.rows)
    whole = {name: np.ascontiguousarray(each) for name, each in tensors.items()}
    with atomic_file(path) as temporary:
        save_file(whole, temporary, metadata={"format": KIND, "version": "1"})


def load_model(path: Path, config: FastTextClassifierConfig, *, pruned: bool) -> FastTextModel:
    """Read the tensors; `pruned` is that of the model.

    Raises:
        VectorFileError: the file is not there, cut off, or holds something else.
    """
    tensors = _checked(path, _load(path))
    words, labels = (tensors[name].tobytes().decode().split("\n") for name in ("words", "labels"))
    counts = tensors["word_counts"], tensors["label_counts"]
    rows = _rows(tensors)
    num_outputs = OutputLayer(config.loss, counts[1]).num_outputs
    numbers = np.concatenate([tensors["word_rows"], tensors["bucket_rows"]])
    if (
        not len(words) == len(counts[0]) == len(tensors["word_rows"])
        or len(labels) != len(counts[1])
        or tensors["buckets"].shape != tensors["bucket_rows"].shape
        or tensors["outputs"].shape != (num_outputs, config.dim)
        or rows.dim != config.dim
        or not 0 <= numbers.min(initial=0) <= numbers.max(initial=0) < len(rows)
        or tensors["buckets"].min(initial=0) < 0
        or tensors["buckets"].max(initial=-1) >= config.num_buckets
    ):
        raise VectorFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return FastTextModel(
        Dictionary(words, counts[0], labels, counts[1], config),
        tensors["word_rows"],
        tensors["buckets"].astype(np.int64),
        tensors["bucket_rows"],
        rows,
        tensors["outputs"],
        pruned,
    )


def _load(path: Path) -> dict[str, NDArray[Any]]:
    if not path.is_file():
        raise VectorFileError(f"{path}: there is no such file; train or fetch the model again.")
    try:
        tensors: dict[str, NDArray[Any]] = load_file(path)
    except SafetensorError as error:
        raise VectorFileError(
            f"{path}: this is no whole safetensors file ({error}); fetch or write it again."
        ) from error
    return tensors


def _checked(path: Path, tensors: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    expected = _TENSORS | (_DENSE if "rows" in tensors else _CODED)
    expected |= _NORMS if "norm_codes" in tensors else {}
    for name, (dtype, num_axes) in expected.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.dtype != dtype or tensor.ndim != num_axes:
            raise VectorFileError(
                f"{path}: no tensor '{name}' of {num_axes} axes and type {dtype} is in it; this is "
                "not a classifier of fastText."
            )
    return tensors


def _text(words: Sequence[str], path: Path) -> NDArray[np.uint8]:
    return np.frombuffer(b"\n".join(encoded_words(words, path, forbidden="\n")), np.uint8)


def _row_tensors(rows: Rows) -> dict[str, NDArray[Any]]:
    if not isinstance(rows, QuantisedRows):
        return {"rows": rows.take(np.arange(len(rows), dtype=np.int32))}
    coded: dict[str, NDArray[Any]] = {"codes": rows.codes, "centroids": rows.quantizer.centroids}
    if rows.norm_codes is not None and rows.norm_quantizer is not None:
        coded |= {"norm_codes": rows.norm_codes, "norm_centroids": rows.norm_quantizer.centroids}
    return coded


def _rows(tensors: Mapping[str, NDArray[Any]]) -> Rows:
    if "rows" in tensors:
        return DenseRows.of(tensors["rows"])
    quantizer = ProductQuantizer(tensors["outputs"].shape[1], tensors["centroids"])
    if "norm_codes" not in tensors:
        return QuantisedRows(tensors["codes"], quantizer)
    norms = ProductQuantizer(1, tensors["norm_centroids"])
    return QuantisedRows(tensors["codes"], quantizer, tensors["norm_codes"], norms)
