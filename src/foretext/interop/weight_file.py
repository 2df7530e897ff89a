"""Weights by name in safetensors: one file, or several with an index. Pickles are not read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.parsing import read_json, write_tensors
from foretext.base.parsing.tensor_file import read_torch
from foretext.interop.config_file import path_within

__all__ = [
    "OURS",
    "WEIGHTS",
    "by_transformers",
    "read_apart",
    "read_weights",
    "weight_path",
    "write_apart",
    "write_weights",
]

WEIGHTS = "model.safetensors"
APART = "objective.safetensors"  # weights that classes of transformers do not have
OURS = "objective."  # what their names begin with
INDEX = f"{WEIGHTS}.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")


class _Index(TypedDict):
    weight_map: dict[str, str]  # from the name of a weight to its file


def weight_path(folder: Path, conversion: str) -> Path:
    """Return the file of a folder's weights, or the index of several files.

    Args:
        folder: of a model.
        conversion: Python that writes a pickle again; FOLDER in it stands for the folder.

    Raises:
        ModelFileError: there is no such file, or only a pickle.
    """
    for name in (WEIGHTS, INDEX):
        if (folder / name).is_file():
            return folder / name
    pickle = next((name for name in PICKLES if (folder / name).is_file()), None)
    if pickle is None:
        raise ModelFileError(f"{folder} contains no weights: {WEIGHTS} is missing.")
    raise ModelFileError(
        f"{folder / pickle} is a pickle, which can run code when it is read, so foretext does not "
        "read it; if you trust it, convert it with the library that wrote it: "
        f"{conversion.replace('FOLDER', repr(str(folder)))}."
    )


def by_transformers(their_class: str | None) -> str:
    """Return how `transformers` writes a folder again that contains one of its classes."""
    return f"{their_class or 'AutoModel'}.from_pretrained(FOLDER).save_pretrained(FOLDER)"


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights of a file, or of all files of an index, in their stored types.

    Raises:
        ModelFileError: a file is missing, damaged, or in another folder.
    """
    if path.name != INDEX:
        return read_torch(path, ModelFileError)
    index: _Index = read_json(path, ModelFileError, _Index)
    weights: dict[str, Tensor] = {}
    for name in sorted(set(index["weight_map"].values())):
        shard = path_within(path.parent, name, path)
        if not shard.is_file():
            raise ModelFileError(f"{shard} is missing, but the index beside it names it.")
        weights |= read_torch(shard, ModelFileError)
    return weights


def write_weights(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Write float32 weights on the CPU to a file that `transformers` opens, or write nothing."""
    arrays = {name: weight.numpy() for name, weight in weights.items()}
    write_tensors(path, arrays, {"format": "pt"})


def read_apart(folder: Path) -> dict[str, Tensor]:
    """Return the weights of an objective that stand in a file of their own; there may be none.

    Raises:
        ModelFileError: the file is damaged, or has weights of something else.
    """
    path = folder / APART
    if not path.is_file():
        return {}
    weights = read_torch(path, ModelFileError)
    strange = next((name for name in weights if not name.startswith(OURS)), None)
    if strange is not None:
        raise ModelFileError(
            f"{path} contains '{strange}', which is no weight of an objective; download the model "
            "again, or remove the file."
        )
    return weights


def write_apart(folder: Path, weights: Mapping[str, Tensor]) -> None:
    """Write what `read_apart` reads; without weights there is no such file."""
    if weights:
        write_weights(folder / APART, weights)
    else:
        (folder / APART).unlink(missing_ok=True)
