"""Folders of the library `sentence-transformers`: a model, and how its states become one vector.

A cross-encoder's folder is one of `transformers`, with a mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast, get_args

import torch
from torch import Tensor
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.parsing import read_json
from foretext.interop.config_file import path_within, write_json
from foretext.interop.weight_file import WEIGHTS, read_weights, weight_path, write_weights
from foretext.nn.pooling import Dense, DenseActivation

__all__ = [
    "PoolingMode",
    "SentenceEncoding",
    "check_width",
    "is_cross_encoder",
    "read_modules",
    "write_modules",
]

PoolingMode = Literal["mean", "cls", "max"]
OLDER = {  # settings of releases without "pooling_mode"
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
POOLING = "1_Pooling"  # folder
FURTHER = "config_sentence_transformers.json"
KINDS = ("Transformer", "Pooling", "Dense", "Normalize")
WITHOUT_EFFECT = ("Dropout",)  # of modules, but in training
OLDER_KINDS = {"BERT": "Transformer"}  # in releases with several classes
PACKAGE = "sentence_transformers.models"
NO_LIMIT = 1_000_000  # lengths from here on mean no limit

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


class _Module(TypedDict):
    path: str
    type: str


class _Lengths(TypedDict, total=False):
    do_lower_case: bool
    max_seq_length: float | None
    model_max_length: float | None  # 1e30: no limit
    max_len: float | None  # its older name


class _Further(TypedDict, total=False):
    default_prompt_name: str | None
    prompts: dict[str, str]
    truncate_dim: int | None


class SentenceEncoding(NamedTuple):
    """How the states of a text become one vector: pooling, layers, and length 1."""

    pooling: PoolingMode
    dense: tuple[Dense, ...] = ()
    normalize: bool = False  # to length 1
    text_length: int | None = None  # tokens of a text, with special tokens
    prompts: Mapping[str, str] = MappingProxyType({})  # texts to begin others with, by name


def read_modules(folder: Path) -> tuple[Path, SentenceEncoding | None]:
    """Return the model's folder, and the pooling; a folder without modules is the model's own.

    Raises:
        ModelFileError: foretext does not have a module or a pooling.
    """
    path = folder / "modules.json"
    if not path.is_file():
        return folder, None
    modules: list[_Module] = read_json(path, ModelFileError, list[_Module])
    places = [
        (_kind(module, path), path_within(folder, module["path"], path)) for module in modules
    ]
    model, *behind = [place for place in places if place[0] not in WITHOUT_EFFECT] or [("", folder)]
    if model[0] != "Transformer":
        raise ModelFileError(f"{path} names no Transformer as the first of its modules.")
    prompts = _checked_prompts(folder / FURTHER)
    if not behind:
        return model[1], None
    kinds = [kind for kind, _ in behind]
    num_layers = kinds.count("Dense")
    if kinds not in (["Pooling", *["Dense"] * num_layers, *end] for end in ([], ["Normalize"])):
        raise ModelFileError(
            f"{path}: the modules {', '.join(kinds)} in this order are not supported, only "
            "Pooling, then any number of Dense, then Normalize or not."
        )
    return model[1], SentenceEncoding(
        _mode(behind[0][1] / "config.json"),
        tuple(_read_dense(place) for kind, place in behind if kind == "Dense"),
        "Normalize" in kinds,
        _text_length(model[1]),
        prompts,
    )


def check_width(sentence: SentenceEncoding, dim: int, path: Path) -> None:
    """Check that the first layer reads pooled states, and each layer what the one before it makes.

    Args:
        sentence: with its layers.
        dim: width of a state.
        path: of the model's config.json, for error messages.

    Raises:
        ModelFileError: a layer belongs to another model.
    """
    for layer in sentence.dense:
        outer, inner = layer.weight.shape
        if inner != dim:
            raise ModelFileError(
                f"{path}: a Dense module reads vectors of {inner} numbers, and gets {dim}; all "
                "files of a model belong in one folder, so download it again."
            )
        dim = outer


def write_modules(folder: Path, sentence: SentenceEncoding, dim: int) -> None:
    """Write the files that make a model's folder one of a sentence encoder.

    Args:
        folder: of the model.
        sentence: how its states become one vector.
        dim: width of a state.

    Raises:
        OutputError: the folder cannot be written.
    """
    kinds = ["Pooling", *["Dense"] * len(sentence.dense), *["Normalize"] * sentence.normalize]
    places = {"": "Transformer"} | {f"{step}_{kind}": kind for step, kind in enumerate(kinds, 1)}
    for place in places:
        (folder / place).mkdir(exist_ok=True)
    modes = {name: mode == sentence.pooling for name, mode in OLDER.items()}
    write_json(folder / POOLING / "config.json", {"word_embedding_dimension": dim, **modes})
    for step, layer in enumerate(sentence.dense, 2):
        _write_dense(folder / f"{step}_Dense", layer)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": sentence.text_length})
    if sentence.prompts:
        write_json(folder / FURTHER, {"prompts": dict(sentence.prompts)})
    modules = [
        {"idx": step, "name": str(step), "path": path, "type": f"{PACKAGE}.{kind}"}
        for step, (path, kind) in enumerate(places.items())
    ]
    write_json(folder / "modules.json", modules)


def is_cross_encoder(folder: Path, config: Mapping[str, Any]) -> bool:
    """Whether a folder with this config.json reads two texts at once.

    Raises:
        ModelFileError: the file that may say it is damaged.
    """
    if "sentence_transformers" in config:  # the mark before release 6
        return True
    path = folder / FURTHER
    further = read_json(path, ModelFileError) if path.is_file() else {}
    return bool(further.get("model_type") == "CrossEncoder")


def _kind(module: _Module, path: Path) -> str:
    kind = module["type"].rpartition(".")[2]
    kind = OLDER_KINDS.get(kind, kind)
    if kind not in (*KINDS, *WITHOUT_EFFECT):
        raise ModelFileError(
            f"{path}: a module of type {kind} is not supported, only {', '.join(KINDS)} are."
        )
    return kind


def _checked_prompts(path: Path) -> dict[str, str]:
    """Return the prompts that may be asked for by name.

    What changes all vectors is refused: a text before each text, and vectors that are cut off.
    """
    config: _Further = read_json(path, ModelFileError, _Further) if path.is_file() else {}
    prompt = config.get("default_prompt_name")
    if prompt and config.get("prompts", {}).get(prompt):
        raise ModelFileError(
            f"{path}: default_prompt_name = {prompt!r} is not supported; set it to null, and begin "
            "each text with the prompt yourself."
        )
    if config.get("truncate_dim") is not None:
        raise ModelFileError(
            f"{path}: truncate_dim is not supported; set it to null, and cut vectors yourself."
        )
    return config.get("prompts", {})


def _mode(path: Path) -> PoolingMode:
    config = read_json(path, ModelFileError)
    found = config.get("pooling_mode")
    if found is None:
        found = [mode for name, mode in OLDER.items() if config.get(name)]
    modes = found if isinstance(found, list) else [found]
    if len(modes) != 1 or modes[0] not in get_args(PoolingMode):
        raise ModelFileError(
            f"{path}: pooling by {' and '.join(map(repr, modes)) or 'nothing'} is not supported, "
            f"only one of {', '.join(get_args(PoolingMode))} is."
        )
    return cast(PoolingMode, modes[0])


def _text_length(model: Path) -> int | None:
    path = model / "sentence_bert_config.json"
    config: _Lengths = read_json(path, ModelFileError, _Lengths) if path.is_file() else {}
    if config.get("do_lower_case"):
        raise ModelFileError(
            f"{path}: do_lower_case is not supported; use a tokenizer that lower-cases."
        )
    length = config.get("max_seq_length")
    further = model / "tokenizer_config.json"
    if length is None and further.is_file():  # its place since release 6
        path = further
        config = read_json(path, ModelFileError, _Lengths)
        length = config.get("model_max_length", config.get("max_len"))
    if length is not None and not length >= 1:
        raise ModelFileError(f"{path}: {length} is not a length of a text in tokens.")
    return None if length is None or length >= NO_LIMIT else int(length)


class _Settings(TypedDict, total=False):
    in_features: int
    out_features: int
    bias: bool
    activation_function: str | None
    module_input_name: str
    module_output_name: str | None
    use_residual: bool


def _read_dense(folder: Path) -> Dense:
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


def _write_dense(folder: Path, layer: Dense) -> None:
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
