"""The classes of theirs that answer tasks, and which task of ours each one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from foretext.data.batch import Visibility
from foretext.interop.rows import Row
from foretext.nn.pooling import Pooling
from foretext.tasks.base import Task

__all__ = ["OF_TEXTS", "TaskHead", "is_kept", "similarity"]

OF_TEXTS = ("classification", "matching")  # tasks with one answer a row
FOR_TRAINING = "next_tokens."  # weights that no answer is made of


class TaskHead(NamedTuple):
    """One class with a head on a family's body."""

    their_class: str
    tasks: tuple[str, ...]  # ours that are of its form, the likeliest first
    rows: Sequence[Row]  # our task's weights: theirs, with full names; the last layer's at last
    pooling: Pooling | None = None  # None: every position is answered
    dropout: str | None = None  # their setting for that before the last layer
    group: int = 1  # rows of an example
    marks: Mapping[str, Any] = MappingProxyType({})  # settings that tell it from others of its name

    @property
    def has_layers(self) -> bool:
        """Whether there are weights of its own, and not a body alone whose vectors are compared."""
        return bool(self.rows)

    @property
    def last_weight(self) -> str:
        """Their name of the last layer's weight, (outputs, D)."""
        return [row for row in self.rows if row.ours.endswith(".weight")][-1].theirs[0]

    def named(self, theirs: Mapping[str, Any]) -> bool:
        """Whether a config.json is of this class; a mark that it lacks is no hindrance."""
        name = (theirs.get("architectures") or [None])[0]
        return name == self.their_class and all(
            theirs.get(mark, value) == value for mark, value in self.marks.items()
        )

    def fits(self, name: str, task: Task, visibility: Visibility) -> bool:
        """Whether a task of this name is of this form, on a backbone that sees `visibility`.

        A task that marks shared tokens is not: their programs would not mark them.
        """
        ours = {name for name in task.state_dict() if is_kept(name)}
        rows = {row.ours for row in self.rows}
        return (
            name in self.tasks
            and task.visibility == visibility
            and task.group == self.group
            and task.pooling == self.pooling
            and not task.marks_shared_tokens
            and ours <= rows
            and all(name.endswith(".bias") for name in rows - ours)
        )


def similarity(body_class: str) -> TaskHead:
    """Return the cosine of two texts' mean states, as `sentence-transformers` computes it."""
    return TaskHead(body_class, ("matching",), (), pooling="mean", group=2)


def is_kept(name: str) -> bool:
    """Whether a weight of a task is kept with it."""
    return not name.startswith(FOR_TRAINING)
