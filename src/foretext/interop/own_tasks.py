"""Tasks in foretext's own words: what stands under "foretext" in the config.json of their folders.

It says what their settings cannot, and all where no family has such a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from torch import Tensor

from foretext._version import __version__
from foretext.backbones import BACKBONES
from foretext.backbones.word_backbone import WordBackbone
from foretext.data.batch import Visibility
from foretext.errors import ModelFileError, SettingError
from foretext.interop.own import fill_own, own_backbone, renamed_own
from foretext.interop.own_parts import described, read_part
from foretext.interop.own_settings import own_part
from foretext.interop.task_heads import is_kept
from foretext.interop.transfer import named_weights
from foretext.interop.undrawn import undrawn
from foretext.tasks import TASKS
from foretext.tasks.base import Task
from foretext.tasks.task_base import TaskBase
from foretext.tokenizers.base import Tokenizer

__all__ = [
    "LoadedTask",
    "load_own_task",
    "made_task",
    "own_task_settings",
    "own_task_weights",
    "reads_words",
    "task_weights",
]


class LoadedTask(NamedTuple):
    """A body and a task, on the CPU in float32."""

    body: TaskBase
    task: Task
    unused: tuple[str, ...] = ()  # weights of the folder that are in neither


def own_task_settings(body: TaskBase, task: Task, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under "foretext"."""
    settings: dict[str, Any] = {
        "version": __version__,
        "tokenizer": body.tokenizer.kind,
        "visibility": body.visibility,
        "backbone": described(BACKBONES, body.backbone),
        "task": _without_training(described(TASKS, task)),
        "found": task.found,
        "facts": dict(facts),
    }
    if isinstance(body.backbone, WordBackbone):
        settings["num_characters"] = body.backbone.num_characters
    return settings


def own_task_weights(body: TaskBase, task: Task) -> dict[str, Tensor]:
    """Return the weights under our names, float32 on the CPU."""
    return renamed_own(task_weights(body, task))


def task_weights(body: TaskBase, task: Task) -> dict[str, Tensor]:
    """Return the weights that are kept, each once."""
    named = named_weights(backbone=body.backbone, task=task)
    return {name: w for name, w in named.items() if is_kept(name.removeprefix("task."))}


def reads_words(config: Mapping[str, Any]) -> bool:
    """Whether a folder's body has a vocabulary of whole words."""
    return own_part(config).get("tokenizer") == "words"


def load_own_task(
    config: Mapping[str, Any],
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: Tokenizer,
) -> LoadedTask:
    """Make the task of a folder that no family has.

    Raises:
        ModelFileError: what config.json says does not fit foretext or the weights.
    """
    own = own_part(config)
    with undrawn(weights, config_path):
        body = TaskBase(tokenizer, own_backbone(config, config_path), _sight(own, config_path))
        task = made_task(own, body, config_path)
    fill_own(task_weights(body, task), weights, r"", weight_path)
    return LoadedTask(body, task)


def made_task(own: Mapping[str, Any], body: TaskBase, path: Path) -> Task:
    """Make a task with weights that are still to be filled.

    Args:
        own: its "task", settings with their name, and what was "found".
        body: that it stands on.
        path: of config.json, for sentences.

    Raises:
        ModelFileError: there is no such task, or it cannot be made of this.
    """
    part, found = read_part(TASKS, own, path), own.get("found", {})
    if part is None:
        raise ModelFileError(f'{path} says nothing of a task under "foretext".')
    try:
        task: Task = part.component(part.config, body, **found)
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (TypeError, LookupError, ValueError) as error:
        raise ModelFileError(
            f"{path}: what was found in the rows does not make a task ({error})."
        ) from error
    return task


def _sight(own: Mapping[str, Any], path: Path) -> Visibility:
    found = own.get("visibility")
    if found not in ("full", "causal"):
        raise ModelFileError(f"{path}: visibility = {found!r} is neither 'full' nor 'causal'.")
    return cast(Visibility, found)


def _without_training(settings: dict[str, Any]) -> dict[str, Any]:
    """The language model's head is not kept, so that its loss cannot go on."""
    return settings | {name: 0.0 for name in ("language_model_weight",) if name in settings}
