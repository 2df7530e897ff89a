"""Folders of the library `sentence-transformers`: a model, and how its states become one vector.

A cross-encoder's folder is one of `transformers`, with a mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from typing_extensions import TypedDict

from foretext.errors import ModelFileError
from foretext.interop.config_file import path_within, write_json
from foretext.parsing import read_json

__all__ = ["Pooling", "PoolingMode", "is_cross_encoder", "read_modules", "write_modules"]

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
OLDER_KINDS = {"BERT": "Transformer"}  # in releases with several classes
PACKAGE = "sentence_transformers.models"
NO_LIMIT = 1_000_000  # lengths from here on mean no limit


class _Module(TypedDict):
    path: str
    type: str


class _Lengths(TypedDict, total=False):
    do_lower_case: bool
    max_seq_length: float | None
    model_max_length: float | None  # 1e30: no limit
    max_len: float | None  # its older name


class Pooling(NamedTuple):
    """How the states of a text become one vector."""

    pooling: PoolingMode
    normalize: bool  # to length 1
    text_length: int | None  # tokens of a text, with special tokens


def read_modules(folder: Path) -> tuple[Path, Pooling | None]:
    """Return the model's folder, and the pooling; a folder without modules is the model's own.

    Raises:
        ModelFileError: foretext does not have a module or a pooling.
    """
    path = folder / "modules.json"
    if not path.is_file():
        return folder, None
    places: dict[str, Path] = {}
    modules: list[_Module] = read_json(path, ModelFileError, list[_Module])
    for module in modules:
        kind = module["type"].rpartition(".")[2]
        kind = OLDER_KINDS.get(kind, kind)
        if kind not in ("Transformer", "Pooling", "Normalize"):
            raise ModelFileError(
                f"{path}: a module of type {kind} is not supported, only Transformer, Pooling and "
                "Normalize are."
            )
        if kind in places:
            raise ModelFileError(f"{path}: more than one {kind} is not supported.")
        places[kind] = path_within(folder, module["path"], path)
    if "Transformer" not in places:
        raise ModelFileError(f"{path} names no Transformer.")
    model = places["Transformer"]
    if "Pooling" not in places:
        return model, None
    mode = _mode(places["Pooling"] / "config.json")
    return model, Pooling(mode, "Normalize" in places, _text_length(model))


def write_modules(folder: Path, pooling: PoolingMode, dim: int, text_length: int) -> None:
    """Write the files that make a model's folder one of a sentence encoder.

    Args:
        folder: of the model.
        pooling: of its states.
        dim: width of a state.
        text_length: tokens of a text that are read, with special tokens.

    Raises:
        OutputError: the folder cannot be written.
    """
    place = folder / POOLING
    place.mkdir(exist_ok=True)
    modes = {name: mode == pooling for name, mode in OLDER.items()}
    write_json(place / "config.json", {"word_embedding_dimension": dim, **modes})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": text_length})
    kinds = {"Transformer": "", "Pooling": POOLING}
    modules = [
        {"idx": step, "name": str(step), "path": path, "type": f"{PACKAGE}.{kind}"}
        for step, (kind, path) in enumerate(kinds.items())
    ]
    write_json(folder / "modules.json", modules)


def is_cross_encoder(folder: Path, config: Mapping[str, Any]) -> bool:
    """Whether a folder with this config.json reads two texts at once.

    Raises:
        ModelFileError: the file that may say it is damaged.
    """
    if "sentence_transformers" in config:  # the mark before release 6
        return True
    path = folder / "config_sentence_transformers.json"
    further = read_json(path, ModelFileError) if path.is_file() else {}
    return bool(further.get("model_type") == "CrossEncoder")


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
