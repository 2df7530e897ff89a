"""Folders of static vectors of tokens: model2vec's, and `StaticEmbedding`'s of another library.

model2vec keeps ``config.json``, ``tokenizer.json`` and ``model.safetensors`` with ``embeddings``
(R, D) of any number type. Newer releases may have ``weights`` (V,), which token t is multiplied by,
and ``mapping`` (V,), its row, where tokens share rows. sentence-transformers has
``embedding.weight`` (V, D) and names the module's folder in ``modules.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from foretext._version import __version__
from foretext.base.errors import ModelFileError
from foretext.base.files import is_regular_file, merged_folder
from foretext.base.parsing import read_json, read_tensors, write_tensors
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.vectors.formats.static_layout import CLASS, CONFIG, MODEL_TYPE, MODULE, MODULES
from foretext.vectors.storage import StorageType, pack_vectors

__all__ = ["WEIGHTS", "StaticFolder", "read_folder", "write_folder"]

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
NORMALIZE = "Normalize"  # the module behind
PACKAGE = "sentence_transformers.models"
KEY = "foretext"  # of what foretext keeps in config.json
NO_LIMIT = 1_000_000  # "seq_length", as model2vec writes it
_MOST, _SMALL = 100, 1 << 26  # as of any vector file: bytes in memory for one of the file, and free


class StaticFolder(NamedTuple):
    """What a folder holds."""

    tokenizer: SubwordTokenizer
    vectors: NDArray[np.float32]  # (V, D), with the weights in them
    normalize: bool  # whether texts get vectors of length 1
    counts_unknown: bool  # whether an unknown token counts among a text's
    facts: dict[str, Any]  # that foretext keeps of how they were made


class _Own(TypedDict, total=False):
    facts: dict[str, Any]


class _Config(TypedDict, total=False):
    model_type: str | None
    architectures: list[str] | None
    normalize: bool | None
    foretext: _Own


class _Module(TypedDict):
    path: str
    type: str


def read_folder(folder: Path) -> StaticFolder:
    """Read a folder of model2vec or of `StaticEmbedding`.

    Raises:
        ModelFileError: a file is missing or damaged, or they do not go together.
        CorpusError: the tokenizer is damaged.
    """
    config: _Config = {}
    if is_regular_file(folder / CONFIG):
        config = read_json(folder / CONFIG, ModelFileError, _Config)
    place, normalizes = _modules(folder)
    tokenizer = SubwordTokenizer.load(place / TOKENIZER)
    path = place / WEIGHTS
    tensors = read_tensors(path, ModelFileError).tensors
    theirs = "embedding.weight" in tensors
    vectors = _vectors(tensors, "embedding.weight" if theirs else "embeddings", tokenizer, path)
    normalize = normalizes if theirs else bool(config.get("normalize"))
    facts = config.get("foretext", {}).get("facts", {})
    return StaticFolder(tokenizer, vectors, normalize, theirs, dict(facts))


def write_folder(folder: Path, parts: StaticFolder, dtype: StorageType) -> None:
    """Write a folder that model2vec and sentence-transformers open, too; other files in it stay.

    Raises:
        OutputError: it cannot be written.
        SettingError: vectors cannot be stored as `dtype`.
    """
    modules = [MODULE, *[NORMALIZE] * parts.normalize]
    config = {
        "model_type": MODEL_TYPE,
        "architectures": [CLASS],
        "hidden_dim": parts.vectors.shape[1],
        "seq_length": NO_LIMIT,
        "max_length": None,  # model2vec would cut texts at 512 tokens
        "normalize": parts.normalize,
        "embedding_dtype": dtype,
        KEY: {"version": __version__, "facts": parts.facts},
    }
    with merged_folder(folder, CONFIG) as temporary:
        parts.tokenizer.save(temporary / TOKENIZER)
        write_tensors(temporary / WEIGHTS, _tensors(parts, dtype))
        _write_json(temporary / MODULES, _described(modules))
        _write_json(temporary / CONFIG, config)


def _modules(folder: Path) -> tuple[Path, bool]:
    """Return the folder of the vectors, and whether a module behind gives texts length 1.

    Raises:
        ModelFileError: the file is damaged, names a folder elsewhere, or other modules.
    """
    path = folder / MODULES
    if not is_regular_file(path):
        return folder, False
    modules: list[_Module] = read_json(path, ModelFileError, list[_Module])
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    if kinds not in ([MODULE], [MODULE, NORMALIZE]):
        raise ModelFileError(
            f"{path}: the modules {', '.join(kinds) or 'of none'} are not supported, only "
            f"{MODULE} alone or with {NORMALIZE} behind it."
        )
    name = modules[0]["path"]
    if name in ("", "."):
        return folder, kinds[-1] == NORMALIZE
    if Path(name).name != name or name == ".." or "\0" in name or "\\" in name:
        raise ModelFileError(
            f"{path} names {name!r}, which lies outside its folder; all files of a model belong in "
            "one folder, so download it again."
        )
    return folder / name, kinds[-1] == NORMALIZE


def _vectors(
    tensors: Mapping[str, NDArray[Any]], name: str, tokenizer: SubwordTokenizer, path: Path
) -> NDArray[np.float32]:
    """Return a row for each token, (V, D), with what it is multiplied by.

    Raises:
        ModelFileError: the tensors do not go together, or do not belong to the tokenizer.
    """
    V = tokenizer.vocab_size
    rows, mapping, weights = tensors.get(name), tensors.get("mapping"), tensors.get("weights")
    if rows is None or rows.ndim != 2 or rows.dtype.kind not in "fi" or not rows.shape[1]:
        raise ModelFileError(
            f"{path}: no tensor '{name}' of two axes is in it; download the folder again."
        )
    owners = np.arange(V) if mapping is None else mapping
    if (
        owners.dtype.kind not in "iu"
        or owners.shape[:1] < (V,)
        or owners.ndim != 1
        or not 0 <= owners.min(initial=0) <= owners.max(initial=0) < max(len(rows), 1)
        or (weights is not None and (weights.dtype.kind != "f" or weights.shape != owners.shape))
    ):
        raise ModelFileError(
            f"{path} has {len(rows):,} vectors, which do not belong to the {V:,} tokens of the "
            "tokenizer beside it; all files of a model belong in one folder, so download it again."
        )
    if 4 * V * rows.shape[1] > max(_MOST * path.stat().st_size, _SMALL):
        raise ModelFileError(
            f"{path}: {V:,} vectors of {rows.shape[1]:,} numbers take more than {_MOST} times the "
            "bytes of the file; it is damaged, download it again."
        )
    with np.errstate(over="ignore"):  # infinities are refused where the vectors are used
        vectors = rows[owners[:V]].astype(np.float32)
        return vectors if weights is None else vectors * weights[:V, None].astype(np.float32)


def _tensors(parts: StaticFolder, dtype: StorageType) -> dict[str, NDArray[Any]]:
    """Return what model2vec names them; in int8 the scale of each row is its weight."""
    packed = pack_vectors(parts.vectors, dtype)
    if dtype == "int8":
        return {"embeddings": packed["codes"], "weights": packed["scales"]}
    return {"embeddings": packed["vectors"]}


def _described(modules: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "idx": step,
            "name": str(step),
            "path": f"{step}_{kind}" if step else ".",
            "type": f"{PACKAGE}.{kind}",
        }
        for step, kind in enumerate(modules)
    ]


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")
