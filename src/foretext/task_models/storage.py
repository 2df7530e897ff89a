"""Trained tasks as folders, and back: the model in use of what `foretext.interop` keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from foretext.errors import ModelFileError
from foretext.interop.hugging_face import CONFIG
from foretext.interop.task_folder import load_task, save_task
from foretext.nn.device import DeviceName, Precision
from foretext.parsing import parse_json
from foretext.task_models import TASK_MODELS
from foretext.task_models.base import TaskModel
from foretext.tasks.base import Task

__all__ = ["head_class", "load_task_model", "save_task_model"]

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Weights(TypedDict):
    network: _Weight
    linear: _Weight


class _Facts(TypedDict, total=False):
    """What models keep beside weights and settings; runs keep more there, of other uses."""

    temperature: _Positive
    null_threshold: _Finite
    ensemble: _Weights


def save_task_model(
    folder: str | Path, model: TaskModel, facts: Mapping[str, Any] | None = None
) -> None:
    """Write a folder that `load_task_model` opens, and Hugging Face where it has such a class.

    Args:
        folder: made where it is not there; other files in it stay.
        model: what is kept of it: tokenizer, backbone, head, and what it answers by.
        facts: what else is to be kept, as JSON has it.

    Raises:
        OutputError: the folder cannot be written.
    """
    kept = {**(facts or {}), "kind": model.task.name, **model.facts()}
    model.save_parts(Path(folder))
    save_task(Path(folder), model.body, model.task, TASK_MODELS.name_of(type(model)), kept)


def load_task_model(
    folder: str | Path,
    *,
    device: DeviceName = "auto",
    precision: Precision = "auto",
    of_pairs: bool = False,
) -> TaskModel:
    """Open a run's folder, or one of `transformers` with a head for a task.

    Args:
        folder: of a model.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" answers in bfloat16 where the device has it.
        of_pairs: whether labels are to be those of pairs, where the folder does not tell.

    Raises:
        ModelFileError: it holds no task that foretext knows, or is damaged.
        CorpusError: its tokenizer is missing or damaged.
    """
    found = load_task(Path(folder), head_class, of_pairs=of_pairs)
    component = TASK_MODELS.resolve(found.name, Path(folder) / CONFIG)
    model: TaskModel = component(found.base, found.task, device=device, precision=precision)
    place = f"{Path(folder) / CONFIG}: what was kept of the model"
    facts: _Facts = parse_json(json.dumps(dict(found.facts)), place, ModelFileError, _Facts)
    for name in model.facts().keys() & facts.keys():
        setattr(model, name, facts[name])  # type: ignore[literal-required]
    model.load_parts(Path(folder), facts)
    return model


def head_class(name: str, source: Path) -> type[Task]:
    """Return the class of the head of the task that the file `source` names."""
    component: type[TaskModel] = TASK_MODELS.resolve(name, source)
    return component.task_class
