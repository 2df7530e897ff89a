"""The config.json of a model folder, and the other small files beside it."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from pydantic import ConfigDict
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.interop.own_settings import check_own
from foretext.messages import message

__all__ = ["path_within", "read_config", "read_vocab_size", "write_json"]


class _Computed(TypedDict, total=False):
    """Settings that are used before a component checks them; others may have any type."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    architectures: list[str] | None
    model_type: str | None
    vocab_size: int | None
    hidden_size: int | None
    num_hidden_layers: int | None
    num_attention_heads: int | None
    num_key_value_heads: int | None
    head_dim: int | None
    max_position_embeddings: int | None
    n_positions: int | None
    local_attention: int | None
    global_attn_every_n_layers: int | None
    layer_types: list[str] | None
    rope_parameters: dict[str, Any] | None
    rope_scaling: dict[str, Any] | None
    hidden_act: str | None
    hidden_activation: str | None
    activation_function: str | None
    classifier_activation: str | None
    classifier_pooling: str | None
    problem_type: str | None
    norm_rel_ebd: str
    pos_att_type: str | list[str] | None
    id2label: dict[str, Any] | None
    tie_word_embeddings: bool | None
    scale_decoder_outputs: bool | None
    share_encoder_decoder_embeddings: bool | None


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings of a model's config.json.

    Raises:
        ModelFileError: it is missing, is no JSON object, or has a setting of a wrong type.
    """
    if not path.exists():
        what, named = ("no_config", path) if path.parent.exists() else ("absent", path.parent)
        raise ModelFileError(message(f"files.model.{what}", path=named))
    config: dict[str, Any] = read_json(path, ModelFileError, _Computed)
    check_own(config, path)
    return config


def read_vocab_size(config: dict[str, Any], path: Path, name: str = "vocab_size") -> int:
    """Return the number of token vectors that a setting says.

    Raises:
        ModelFileError: the config.json at `path` does not have it.
    """
    found = config.get(name)
    if not isinstance(found, int) or found < 1:
        raise ModelFileError(f"{path}: {name} = {found!r} is not a number of tokens.")
    return found


def path_within(folder: Path, name: str, source: Path) -> Path:
    """Return the path that a file names, if the name lies within the folder; links are followed.

    Raises:
        ModelFileError: it is absolute, or leaves the folder.
    """
    for parts in (PurePosixPath(name), PureWindowsPath(name)):
        if parts.anchor or ".." in parts.parts or "\0" in name:
            raise ModelFileError(
                f"{source} names {name!r}, which lies outside its folder; all files of a "
                "model belong in one folder, so download it again."
            )
    return folder / name


def write_json(path: Path, content: Any) -> None:
    """Write a file completely or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")
