"""The file of a run of doc2vec: vectors of documents, and what infers those of new ones.

``documents`` is (N, D) float32; ``names`` and ``beginnings`` are their UTF-8 bytes with line ends
between; ``outputs`` is (V, places * D), and ``inputs`` (V, D) where words have vectors, too. The
settings stand in the metadata, as JSON. The words and their counts are in the vocabulary's file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.doc2vec_config import Doc2VecConfig
from foretext.vectors.document_network import DocumentNetwork
from foretext.vectors.formats.table import first_not_finite
from foretext.vectors.word_vectors import WordVectors

__all__ = ["FILE", "StoredDocuments", "read_documents", "write_documents"]

FILE = "documents.safetensors"
TENSORS = {
    "documents": ("float32", 2),
    "outputs": ("float32", 2),
    "names": ("uint8", 1),
    "beginnings": ("uint8", 1),
}
INPUTS = {"inputs": ("float32", 2)}
FORMAT = {"format": "foretext.document_vectors", "version": "1"}


class StoredDocuments(NamedTuple):
    """What `foretext.vectors.document_vectors.DocumentVectors` is made of."""

    names: list[str]
    vectors: NDArray[np.float32]  # (N, D)
    beginnings: list[str]
    tokenizer: WordTokenizer
    network: DocumentNetwork


def write_documents(
    folder: Path, documents: WordVectors, beginnings: Sequence[str], network: DocumentNetwork
) -> None:
    """Write the file; names and beginnings have no line end.

    Raises:
        OutputError: it cannot be written.
    """
    outputs = np.ascontiguousarray(network.output_rows)
    tensors: dict[str, NDArray[Any]] = {
        "documents": documents.vectors,
        "outputs": outputs.reshape(len(outputs), -1),
        "names": _bytes(documents.index_to_key),
        "beginnings": _bytes(beginnings),
    }
    if network.config.reads_words:
        tensors["inputs"] = np.ascontiguousarray(network.words)
    settings = network.config.model_dump_json(exclude_none=True)
    write_tensors(folder / FILE, tensors, {**FORMAT, "settings": settings})


def read_documents(folder: Path, tokenizer: WordTokenizer) -> StoredDocuments:
    """Read the file of a run whose words are those of `tokenizer`.

    Raises:
        VectorFileError: it is missing or damaged, or its tensors do not go together.
    """
    path = folder / FILE
    found = read_tensors(path, VectorFileError, TENSORS)
    settings = found.metadata.get("settings", "")
    config = parse_json(settings, f"{path}, settings", VectorFileError, Doc2VecConfig)
    tensors = found.tensors
    if config.reads_words:
        tensors = read_tensors(path, VectorFileError, TENSORS | INPUTS).tensors
    names, beginnings = (_lines(path, tensors[name]) for name in ("names", "beginnings"))
    documents = tensors["documents"]
    _check(path, tensors, config, (len(names), len(beginnings)), tokenizer.vocabulary.counts)
    network = DocumentNetwork(config, np.array(tokenizer.vocabulary.counts), 0)
    network.output_rows[...] = tensors["outputs"].reshape(network.output_rows.shape)
    if config.reads_words:
        network.words[...] = tensors["inputs"]
    if len(set(names)) < len(names):
        raise VectorFileError(f"{path}: two documents have one name; write the file again.")
    return StoredDocuments(names, documents, beginnings, tokenizer, network)


def _check(
    path: Path,
    tensors: dict[str, NDArray[Any]],
    config: Doc2VecConfig,
    num_lines: tuple[int, int],
    counts: Sequence[int] | NDArray[np.int64],
) -> None:
    """Compare all sizes before anything of such a size is made."""
    size = config.vector_size
    vocab_size = len(counts)
    places = 2 * config.window + 1 if config.is_concatenated else 1
    documents, outputs = tensors["documents"], tensors["outputs"]
    wanted = [(documents, (num_lines[0], size)), (documents, (num_lines[1], size))]
    wanted += [(outputs, (vocab_size, places * size))]
    if config.reads_words:
        wanted += [(tensors["inputs"], (vocab_size, size))]
    if any(tensor.shape != shape for tensor, shape in wanted) or (
        np.count_nonzero(np.asarray(counts)[1:] > 0) < 2  # noise is drawn from the others
    ):
        raise VectorFileError(
            f"{path}: names, vectors and words do not go together; write the file again."
        )
    if any(first_not_finite(tensor) is not None for tensor, _ in wanted):
        raise VectorFileError(f"{path}: a number in it is not finite; write the file again.")


def _bytes(lines: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def _lines(path: Path, data: NDArray[np.uint8]) -> list[str]:
    try:
        return data.tobytes().decode().split("\n")
    except UnicodeDecodeError:
        raise VectorFileError(f"{path}: a name is not UTF-8; write the file again.") from None
