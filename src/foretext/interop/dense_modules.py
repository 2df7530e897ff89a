"""Modules of the class Dense in folders of `sentence-transformers`, read and written."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.parsing import read_json
from foretext.interop.config_file import write_json
from foretext.interop.weight_file import WEIGHTS, read_weights, weight_path, write_weights
from foretext.nn.pooling import Dense, DenseActivation

__all__ = ["read_dense", "write_dense"]

CONFIG = "config.json"
WEIGHT, BIAS = "linear.weight", "linear.bias"
ACTIVATIONS: dict[str, DenseActivation] = {  # last parts of their dotted names: ours
    "Identity": "identity",
    "Tanh": "tanh",
    "ReLU": "relu",
    "GELU": "gelu",
    "Sigmoid": "sigmoid",
    "SiLU": "silu",
}
PLACES = {"identity": "torch.nn.modules.linear"}  # where a class is not among activations
TORCH = ("torch.nn.modules.linear.", "torch.nn.modules.activation.", "torch.nn.")
VECTOR = "sentence_embedding"  # what a module reads and writes: the vector of a text


class _Settings(TypedDict, total=False):
    in_features: int
    out_features: int
    bias: bool
    activation_function: str | None
    module_input_name: str
    module_output_name: str | None
    use_residual: bool


def read_dense(folder: Path) -> Dense:
    """Return the layer of a module's folder.

    Raises:
        ModelFileError: a file is missing or damaged, the weights do not fit, or foretext does not
            have its activation.
    """
    path = folder / CONFIG
    config: _Settings = read_json(path, ModelFileError, _Settings)
    activation = _activation(config.get("activation_function", "torch.nn.Tanh"), path)
    _check_plain(config, path)
    place = weight_path(folder, "SentenceTransformer(FOLDER).save(FOLDER)")
    weights = read_weights(place)
    shape = (config.get("out_features"), config.get("in_features"))
    weight = _checked(weights, WEIGHT, shape, place)
    bias = _checked(weights, BIAS, shape[:1], place) if config.get("bias", True) else None
    return Dense(weight, bias, activation)


def write_dense(folder: Path, layer: Dense) -> None:
    """Write a module's folder.

    Raises:
        OutputError: it cannot be written.
    """
    folder.mkdir(exist_ok=True)
    theirs = next(name for name, ours in ACTIVATIONS.items() if ours == layer.activation)
    place = PLACES.get(layer.activation, "torch.nn.modules.activation")
    outer, inner = layer.weight.shape
    settings = {"in_features": inner, "out_features": outer, "bias": layer.bias is not None}
    weights = {WEIGHT: layer.weight.detach()}
    if layer.bias is not None:
        weights[BIAS] = layer.bias.detach()
    write_weights(folder / WEIGHTS, weights)
    write_json(folder / CONFIG, {**settings, "activation_function": f"{place}.{theirs}"})


def _activation(name: str | None, path: Path) -> DenseActivation:
    if name is None:
        return "identity"
    last = name.rpartition(".")[2]
    if last not in ACTIVATIONS or not name.startswith(TORCH):
        known = ", ".join(ACTIVATIONS)
        raise ModelFileError(
            f"{path}: activation_function = {name!r} is not supported, only those of torch.nn are: "
            f"{known}."
        )
    return ACTIVATIONS[last]


def _check_plain(config: _Settings, path: Path) -> None:
    if config.get("use_residual"):
        raise ModelFileError(f"{path}: use_residual = true is not supported, only false is.")
    for name in ("module_input_name", "module_output_name"):
        if (config.get(name) or VECTOR) != VECTOR:
            raise ModelFileError(
                f"{path}: {name} = {config.get(name)!r} is not supported, only {VECTOR!r} is."
            )


def _checked(
    weights: dict[str, Tensor], name: str, shape: tuple[int | None, ...], path: Path
) -> Tensor:
    found = weights.get(name)
    if found is None or tuple(found.shape) != shape or not found.is_floating_point():
        what = "is missing" if found is None else f"has the shape {tuple(found.shape)}"
        raise ModelFileError(f"{path}: '{name}' {what}, but {CONFIG} needs {shape}.")
    if not bool(torch.isfinite(found).all()):
        raise ModelFileError(f"{path}: '{name}' contains infinite numbers or NaN.")
    return found.float()
