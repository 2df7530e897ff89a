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
from pydantic import BaseModel, Field

from foretext._version import __version__
from foretext.base.errors import SettingError, VectorFileError
from foretext.base.files import atomic_file, atomic_folder, is_regular_file
from foretext.base.parsing import read_json, read_tensors, write_tensors
from foretext.base.parsing.tensor_file import check_tensors
from foretext.base.replacement import refuse_unfinished
from foretext.corpus.decoding import Form
from foretext.data.rows.label import LabelValue
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary, flaw_of
from foretext.tasks.fasttext.model import FastTextModel, OutputLayer
from foretext.tasks.fasttext.product_quantizer import ProductQuantizer
from foretext.tasks.fasttext.quantisation import QuantisedRows
from foretext.tasks.fasttext.rows import DenseRows, Rows, are_weights
from foretext.vectors.formats.table import encoded_words

__all__ = [
    "KIND",
    "load_folder",
    "load_model",
    "model_facts",
    "row_tensors",
    "save_folder",
    "save_model",
    "write_folder",
]

KIND = "fasttext classifier"
EDITION = 2  # the newest
CONFIG_FILE, MODEL_FILE = "config.json", "model.safetensors"

_OF_THIS_MACHINE = {"workers"}  # settings that another machine chooses for itself
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


class _Facts(BaseModel):
    """What a folder must say of its model; it says more, for people."""

    kind: str | None = None
    classifier: dict[str, Any] | None = None
    pruned: bool = False
    edition: int = Field(default=1, ge=1, le=EDITION)  # of the rules by which texts are cut
    form: Form | None = None  # of the rows; None: of an earlier version, or given in Python
    label_values: list[str | int | bool] | None = None


def save_folder(path: Path, model: FastTextModel) -> None:
    """Write a folder, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with atomic_folder(path) as folder:
        write_folder(folder, model, {})


def write_folder(folder: Path, model: FastTextModel, facts: Mapping[str, Any]) -> None:
    """Write both files into a folder that is there.

    Args:
        folder: other files in it stay.
        model: what was learned.
        facts: what else ``config.json`` is to hold.

    Raises:
        OutputError: the folder cannot be written.
        VectorFileError: a label holds a line end.
    """
    save_model(folder / MODEL_FILE, model)
    text = json.dumps({**facts, **model_facts(model)}, indent=2, ensure_ascii=False)
    with atomic_file(folder / CONFIG_FILE) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def load_folder(path: Path) -> FastTextModel:
    """Read what `save_folder` wrote, or a run's folder.

    Raises:
        VectorFileError: there is no classifier, or a damaged one.
    """
    refuse_unfinished(path, VectorFileError)
    if not is_regular_file(path / CONFIG_FILE):
        raise VectorFileError(f"{path} holds no finished classifier: {CONFIG_FILE} is missing.")
    facts = read_json(path / CONFIG_FILE, VectorFileError, _Facts)
    if facts.kind != KIND or facts.classifier is None:
        raise VectorFileError(f"{path} holds no classifier of fastText; name the folder of one.")
    try:
        config = ResolvedConfig.checked(facts.classifier, "classifier")
    except SettingError as error:
        raise VectorFileError(f"{path / CONFIG_FILE} is damaged: {error}") from None
    return load_model(
        path / MODEL_FILE,
        config,
        pruned=facts.pruned,
        label_values=facts.label_values,
        edition=facts.edition,
        form=facts.form,
    )


def model_facts(model: FastTextModel) -> dict[str, Any]:
    """Return what ``config.json`` says of a model."""
    dictionary = model.dictionary
    values = dictionary.label_values
    return {
        "foretext": __version__,
        "kind": KIND,
        **({} if values is None else {"label_values": values}),
        "words": len(dictionary),
        "labels": len(dictionary.labels),
        "quantised": isinstance(model.rows, QuantisedRows),
        "pruned": model.pruned,
        "edition": dictionary.edition or EDITION,
        **({} if dictionary.form is None else {"form": dictionary.form}),
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
    tensors |= row_tensors(model.rows)
    write_tensors(path, tensors, {"format": KIND, "version": "1"})


def load_model(
    path: Path,
    config: ResolvedConfig,
    *,
    pruned: bool,
    label_values: Sequence[LabelValue] | None = None,
    edition: int | None = None,
    form: Form | None = None,
) -> FastTextModel:
    """Read the tensors.

    Args:
        path: of the file.
        config: how texts are cut.
        pruned: whether rows were left out.
        label_values: what the labels came as; None: as their names.
        edition: of the rules by which texts are cut; None: the newest.
        form: the Unicode normal form of the rows; None: they were given in Python.

    Raises:
        VectorFileError: the file is not there, cut off, or holds something else.
    """
    tensors = _tensors(path)
    words, labels = (_words(tensors[name], path) for name in ("words", "labels"))
    counts = tensors["word_counts"], tensors["label_counts"]
    if flaw := flaw_of(words, counts[0], labels, counts[1]) or _flaw(tensors, config):
        raise VectorFileError(f"{path}: {flaw}; fetch or write it again.")
    dictionary = Dictionary(
        words, counts[0], labels, counts[1], config, label_values, edition, form
    )
    try:
        _ = dictionary.classes
    except ValueError as error:
        raise VectorFileError(f"{path}: {error}; fetch or write it again.") from None
    return FastTextModel(
        dictionary,
        tensors["word_rows"],
        tensors["buckets"].astype(np.int64),
        tensors["bucket_rows"],
        _rows(tensors),
        tensors["outputs"],
        pruned,
    )


def _tensors(path: Path) -> dict[str, NDArray[Any]]:
    tensors = read_tensors(path, VectorFileError, _TENSORS).tensors
    check_tensors(path, tensors, _DENSE if "rows" in tensors else _CODED, VectorFileError)
    check_tensors(path, tensors, _NORMS if "norm_codes" in tensors else {}, VectorFileError)
    return tensors


def _words(text: NDArray[np.uint8], path: Path) -> list[str]:
    try:
        return text.tobytes().decode().split("\n")
    except UnicodeDecodeError:
        raise VectorFileError(
            f"{path}: its words are not UTF-8; fetch or write it again."
        ) from None


def _flaw(tensors: Mapping[str, NDArray[Any]], config: ResolvedConfig) -> str | None:
    """Return why the rows do not fit words and settings; None where they do."""
    buckets, outputs = tensors["buckets"], tensors["outputs"]
    num_outputs = OutputLayer(config.loss, tensors["label_counts"]).num_outputs
    rows = tensors["rows"] if "rows" in tensors else tensors["codes"]
    numbers = np.concatenate([tensors["word_rows"], tensors["bucket_rows"]])
    if (
        len(tensors["word_rows"]) != len(tensors["word_counts"])
        or buckets.shape != tensors["bucket_rows"].shape
        or outputs.shape != (num_outputs, config.dim)
        or not 0 <= numbers.min(initial=0) <= numbers.max(initial=0) < len(rows)
        or not 0 <= buckets.min(initial=0) <= buckets.max(initial=0) < max(config.num_buckets, 1)
        or (np.diff(buckets) <= 0).any()
        or len(buckets) > config.num_buckets
        or not _rows_fit(tensors, config.dim)
    ):
        return "the tensors do not go together"
    if not all(are_weights(tensors[name]) for name in ("outputs", "rows") if name in tensors):
        return "it holds NaN or an infinity, or a number near it"
    return None


def _rows_fit(tensors: Mapping[str, NDArray[Any]], dim: int) -> bool:
    if "rows" in tensors:
        return tensors["rows"].shape[1] == dim
    codes, centroids = tensors["codes"], tensors["centroids"]
    if codes.shape[1] != len(centroids) or not ProductQuantizer.fits(dim, centroids):
        return False
    return "norm_codes" not in tensors or (
        tensors["norm_codes"].shape == (len(codes),)
        and ProductQuantizer.fits(1, tensors["norm_centroids"])
    )


def _text(words: Sequence[str], path: Path) -> NDArray[np.uint8]:
    return np.frombuffer(b"\n".join(encoded_words(words, path, forbidden="\n")), np.uint8)


def row_tensors(rows: Rows) -> dict[str, NDArray[Any]]:
    """Return rows as the tensors of a file: numbers, or codes with what they mean."""
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
