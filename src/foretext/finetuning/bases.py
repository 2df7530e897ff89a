"""What a task can be learned on, by name: a learner, a backbone from scratch, or a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from foretext.artifact import load, opened_run
from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError, suggestion
from foretext.base.registry import imported
from foretext.finetuning.base_names import EMBEDDINGS, LEARNERS, OF_TASKS, SHORT_NAMES, base_names
from foretext.finetuning.recipe import BaseModel
from foretext.kinds import KINDS
from foretext.messages import message, sentences
from foretext.recipes import recipe_names
from foretext.tasks.task import Task, task_named

if TYPE_CHECKING:
    from foretext.backbones.base import Backbone
    from foretext.finetuning.learner import Learner

__all__ = [
    "NamedBackbone",
    "Origin",
    "is_name",
    "learner_class",
    "name_note",
    "open_base",
    "task_on",
]

Origin = Literal["pretrained", "vectors", "scratch"]  # of the weights that a network starts with

BACKBONE = "foretext.backbones.base:Backbone"
NETWORK = "foretext.finetuning.network:NetworkLearner"  # imports PyTorch


@dataclass(frozen=True)
class NamedBackbone:
    """A backbone that learns from scratch, and the settings that its name stands for."""

    row: str  # of BACKBONES, or "module:Class"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def component(self) -> type[Backbone]:
        """Its class.

        Raises:
            SettingError: there is no such class, or it is no backbone.
        """
        found = BACKBONES.resolve(self.row)
        if not isinstance(found, type) or not issubclass(found, imported(BACKBONE)):
            raise SettingError(
                f"[backbone] name = '{self.row}' is no Backbone; name another class."
            )
        return found

    @classmethod
    def of(cls, name: str) -> NamedBackbone:
        """Return what a name stands for."""
        return cls(*SHORT_NAMES[name]) if name in SHORT_NAMES else cls(name)


def is_name(base: BaseModel) -> bool:
    """Whether a base is a name, not a path or an opened model."""
    if not isinstance(base, str):
        return isinstance(base, Path) and str(base) in base_names()
    return base in base_names() or (":" in base and "/" not in base and not Path(base).exists())


def name_note(base: BaseModel) -> str | None:
    """Return a warning where a name is that of a file or folder, too."""
    if not is_name(base) or not Path(str(base)).exists():
        return None
    return f"BASE = '{base}' is the name of what learns; what is called so here is './{base}'"


def learner_class(base: BaseModel, task: str | None = None) -> type[Learner]:
    """Return the class that learns a task on a base.

    Args:
        base: that the user names.
        task: its name; None: any, such as classification.

    Raises:
        SettingError: it is no name and no path that there is.
    """
    if isinstance(base, str | Path) and not is_name(base) and not Path(base).exists():
        if str(base) in recipe_names():
            raise SettingError(message("errors.base.recipe", base=base))
        names = base_names()
        there_are = message("errors.names_are", names=", ".join(names))
        hint = suggestion(str(base), names) or there_are
        raise SettingError(sentences([message("errors.base.absent", base=base), hint]))
    name = str(base) if isinstance(base, str | Path) else ""
    if not is_name(base) and _is_frozen(base):
        name = EMBEDDINGS
    target = OF_TASKS.get((name, task or "")) or LEARNERS.get(name, NETWORK)
    learner: type[Learner] = imported(target)
    return learner


def _is_frozen(base: BaseModel) -> bool:
    """Whether a run, or what was opened, embeds texts and can be learned on no further."""
    try:
        kind = opened_run(base).kind if isinstance(base, str | Path) else base.kind
    except AttributeError:  # of something else, which `open_base` refuses
        return False
    return kind in KINDS and KINDS[kind].is_frozen


def task_on(name: str, base: BaseModel) -> Task:
    """Return a task, as it is learned on a base.

    Args:
        name: of the task.
        base: that the user names.

    Raises:
        SettingError: there is no such task or base, or they do not go together.
    """
    task = task_named(name)
    learner = learner_class(base, name)
    return task if learner.learns_every_task else learner.predictor_of(name).task


def open_base(base: BaseModel) -> tuple[Origin, Any]:
    """Return how a network starts, and from what: a `NamedBackbone` or an opened model.

    Raises:
        ForetextError: the path holds nothing to start from.
    """
    if is_name(base):
        return "scratch", NamedBackbone.of(str(base))
    opened: Any = load(base) if isinstance(base, str | Path) else base
    try:
        return opened.task_origin, opened
    except AttributeError:
        named = f"'{base}' holds" if isinstance(base, str | Path) else "is"
        raise SettingError(
            f"BASE {named} {type(opened).__name__}, which no task can be learned on; give word "
            "vectors, a language model, a model of another task, or the name of a backbone."
        ) from None
