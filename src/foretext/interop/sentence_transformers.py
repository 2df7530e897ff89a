"""Folders of the library `sentence-transformers`: a model, and how its states become one vector.

A cross-encoder's folder is that of `transformers`, with a mark.
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
OLDER = {  # a setting each, before there was "pooling_mode"
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
POOLING = "1_Pooling"  # folder
OLDER_KINDS = {"BERT": "Transformer"}  # before there was one class for all
PACKAGE = "sentence_transformers.models"
NO_LIMIT = 1_000_000  # lengths from here on mean that none was set


class _Module(TypedDict):
    path: str
    type: str


class _Lengths(TypedDict, total=False):
    do_lower_case: bool
    max_seq_length: float | None
    model_max_length: float | None  # 1e30 where there is none
    max_len: float | None  # its name before


class Pooling(NamedTuple):
    """How the states of a text become one vector."""

    pooling: PoolingMode
    normalize: bool  # to length 1
    text_length: int | None  # tokens of a text, those of its frame among them


def read_modules(folder: Path) -> tuple[Path, Pooling | None]:
    """Return where the model stands, and the pooling; a folder without modules is the model itself.

    Raises:
        ModelFileError: a module, or a way to pool, that foretext does not have.
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
    """Write what makes a folder of a body that of a sentence encoder.

    Args:
        folder: of the body.
        pooling: of its states.
        dim: numbers of a state.
        text_length: tokens that are read of a text, those of its frame among them.

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
    """Whether a folder, whose config.json says `config`, reads two texts at once.

    Raises:
        ModelFileError: the file that may tell is damaged.
    """
    if "sentence_transformers" in config:  # where it was told before release 6
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
            f"{path}: do_lower_case is not supported; let the tokenizer make its text lower-case."
        )
    length = config.get("max_seq_length")
    further = model / "tokenizer_config.json"
    if length is None and further.is_file():  # where it is kept since release 6
        path = further
        config = read_json(path, ModelFileError, _Lengths)
        length = config.get("model_max_length", config.get("max_len"))
    if length is not None and not length >= 1:
        raise ModelFileError(f"{path}: {length} is no length of a text, in tokens.")
    return None if length is None or length >= NO_LIMIT else int(length)
