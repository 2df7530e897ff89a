"""Weights by name in safetensors: one file, or several with an index. No pickle is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from foretext.errors import ModelFileError
from foretext.files import atomic_file
from foretext.interop.config_file import read_json

__all__ = ["WEIGHTS", "read_weights", "weight_path", "write_weights"]

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
NUMBERS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def weight_path(folder: Path, their_class: str) -> Path:
    """Return the file that holds a folder's weights, or the index of several.

    Args:
        folder: of a model.
        their_class: of `transformers`, for the sentence that says how to convert a pickle.

    Raises:
        ModelFileError: there is none, or only a pickle.
    """
    for name in (WEIGHTS, INDEX):
        if (folder / name).is_file():
            return folder / name
    pickle = next((name for name in PICKLES if (folder / name).is_file()), None)
    if pickle is None:
        raise ModelFileError(f"{folder} holds no weights; {WEIGHTS} is missing.")
    raise ModelFileError(
        f"{folder / pickle} is a pickle, which can run code when it is read, so foretext does not "
        f"read it; convert it, if you trust it, with transformers: "
        f"{their_class}.from_pretrained('{folder}').save_pretrained('{folder}')."
    )


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights of a file, or of all files of an index.

    Raises:
        ModelFileError: a file is missing, damaged, or holds other numbers than floating ones.
    """
    if path.name != INDEX:
        return _read(path)
    index = read_json(path)
    files = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(files, dict) or not all(_is_name(name) for name in files.values()):
        raise ModelFileError(f"{path}: its weight_map does not name files beside it.")
    weights: dict[str, Tensor] = {}
    for name in sorted(set(files.values())):
        weights |= _read(path.with_name(name))
    return weights


def write_weights(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Write a file that `transformers` opens, whole or not at all."""
    with atomic_file(path) as temporary:
        save_file(dict(weights), temporary, metadata={"format": "pt"})


def _read(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise ModelFileError(f"{path} is missing, though the index beside it names it.")
    try:
        weights: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelFileError(
            f"{path}: this is no whole safetensors file ({error}); fetch or write it again."
        ) from error
    for name, weight in weights.items():
        if weight.dtype not in NUMBERS:
            kind = str(weight.dtype).removeprefix("torch.")
            raise ModelFileError(f"{path}: '{name}' is of type {kind}, which is not supported.")
    return weights


def _is_name(name: object) -> bool:
    return isinstance(name, str) and Path(name).name == name
