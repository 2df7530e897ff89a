"""Tasks as foretext describes them: the key "foretext" of the config.json of their folders.

It has what the settings of `transformers` cannot say, and everything where no family has the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from foretext._version import __version__
from foretext.backbones.base import Backbone
from foretext.base.errors import ModelFileError, SettingError
from foretext.heads.base import Head, TaskBase
from foretext.interop.loaded import LoadedTask
from foretext.interop.no_init import no_init
from foretext.interop.own import (
    Resolve,
    backbone_settings,
    described,
    fill_own,
    own_backbone,
    own_visibility,
    read_part,
    renamed_own,
)
from foretext.interop.own_settings import own_part
from foretext.interop.task_heads import is_kept
from foretext.interop.transfer import named_weights
from foretext.nn.word_vectors import FixedWordVectors
from foretext.objectives import OBJECTIVES
from foretext.tokenizers.base import Tokenizer

__all__ = [
    "load_own_task",
    "made_task",
    "own_task_settings",
    "own_task_weights",
    "reads_words",
    "task_weights",
]


def own_task_settings(
    base: TaskBase, head: Head, name: str, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the value of "foretext"."""
    writer = head.writer
    name_of_writer = None if writer is None else OBJECTIVES.name_of(type(writer))
    said = writer and {"objective": described(str(name_of_writer), writer)}
    return {
        "version": __version__,
        "tokenizer": base.tokenizer.kind,
        "visibility": base.visibility,
        **backbone_settings(base.backbone),
        **(said or {}),
        "task": _without_training(described(name, head)),
        **_of_word_vectors(head),
        "found": head.found,
        "facts": dict(facts),
    }


def own_task_weights(base: TaskBase, head: Head) -> dict[str, Tensor]:
    """Return the weights under our names, float32 on the CPU."""
    return renamed_own(task_weights(base, head))


def task_weights(base: TaskBase, head: Head) -> dict[str, Tensor]:
    """Return the weights that are kept, shared ones once."""
    named = named_weights(backbone=base.backbone, task=head)
    return {name: w for name, w in named.items() if is_kept(name.removeprefix("task."))}


def reads_words(config: Mapping[str, Any]) -> bool:
    """Whether the tokenizer of a folder is one of whole words."""
    return own_part(config).get("tokenizer") == "words"


def load_own_task(
    config: Mapping[str, Any],
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: Tokenizer,
    resolve: Resolve,
    target_tokenizer: Tokenizer | None = None,
) -> LoadedTask:
    """Build the task of a folder that belongs to no family.

    Args:
        config: of `config_path`.
        config_path: for error messages.
        weights: of `weight_path`.
        weight_path: for error messages.
        tokenizer: of the folder.
        resolve: finds the class of a task's head.
        target_tokenizer: of what a text becomes, where it has one of its own.

    Raises:
        ModelFileError: config.json does not fit foretext or the weights.
    """
    own = own_part(config)
    with no_init(weights, config_path):
        backbone = own_backbone(config, config_path, target_tokenizer or tokenizer)
        visibility = own_visibility(own, backbone, config_path)
        base = TaskBase(
            tokenizer,
            backbone,
            visibility,
            target_tokenizer=target_tokenizer,
            word_vectors=_word_vectors(own, backbone),
        )
        name, head = made_task(own, base, config_path, resolve)
    fill_own(task_weights(base, head), weights, r"", weight_path)
    if base.word_vectors is not None and not base.word_vectors.is_whole:
        raise ModelFileError(
            f"{weight_path}: a word has a vector that is not among those of the file; the file is "
            "damaged; download or train the model again."
        )
    return LoadedTask(name, base, head)


def made_task(
    own: Mapping[str, Any], base: TaskBase, path: Path, resolve: Resolve
) -> tuple[str, Head]:
    """Build a task whose weights are filled in later; return its name, too.

    Args:
        own: "task", its name and settings, and what was "found" in rows.
        base: whose states it reads.
        path: of config.json, for error messages.
        resolve: finds the class of a task's head.

    Raises:
        ModelFileError: there is no such task, or it cannot be built from this.
    """
    part, found = read_part(own, "task", resolve, path), own.get("found", {})
    if part is None:
        raise ModelFileError(f'{path} does not describe a task under "foretext".')
    try:
        head: Head = part.component(part.config, base, **found)
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (TypeError, LookupError, ValueError) as error:
        raise ModelFileError(
            f"{path}: no task can be built from what was found in the rows ({error})."
        ) from error
    return part.name, head


def _of_word_vectors(head: Head) -> dict[str, Any]:
    """Return how many word vectors a head reads beside states, and their width, where it does."""
    table = head.word_vectors
    return {} if table is None else {"word_vectors": [len(table.vectors), table.dim]}


def _word_vectors(own: Mapping[str, Any], backbone: Backbone) -> FixedWordVectors | None:
    """Return room for the word vectors of a head; None: it reads none."""
    shape: tuple[int, int] | None = own.get("word_vectors")
    return None if shape is None else FixedWordVectors.empty(*shape, backbone.vocab_size)


def _without_training(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without heads of the training alone, which are not kept."""
    without = {"language_model_weight": 0.0, "projection": False}
    return settings | {name: value for name, value in without.items() if name in settings}
