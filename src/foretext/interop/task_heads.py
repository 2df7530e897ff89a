"""Their classes with a head for a task, and our task for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from foretext.data.batch import Visibility
from foretext.heads.base import Head
from foretext.interop.sentence_transformers import PoolingMode
from foretext.interop.transfer import Row
from foretext.nn.pooling import Pooling

__all__ = ["OF_TEXTS", "TaskHead", "is_kept", "similarities"]

OF_TEXTS = ("classification", "matching")  # tasks with one answer for a row
FOR_TRAINING = ("next_tokens.", "projection.")  # weights that only training uses


class TaskHead(NamedTuple):
    """One class with a head on a family's backbone."""

    their_class: str
    tasks: tuple[str, ...]  # ours of its form, the likeliest first
    rows: Sequence[Row]  # our task's weights: theirs, full names; the last layer's last
    pooling: Pooling | None = None  # None: every position has an answer
    dropout: str | None = None  # their setting for dropout before the last layer
    group: int = 1  # rows of an example
    marks: Mapping[str, Any] = MappingProxyType({})  # settings that distinguish classes of one name

    @property
    def has_layers(self) -> bool:
        """Whether it has weights of its own; else the vectors of two texts are compared."""
        return bool(self.rows)

    @property
    def last_weight(self) -> str:
        """Their name of the last layer's weight, (outputs, D)."""
        return [row for row in self.rows if row.ours.endswith(".weight")][-1].theirs[0]

    def named(self, theirs: Mapping[str, Any]) -> bool:
        """Whether a config.json names this class; its marks may be missing."""
        name = (theirs.get("architectures") or [None])[0]
        return name == self.their_class and all(
            theirs.get(mark, value) == value for mark, value in self.marks.items()
        )

    def fits(self, name: str, head: Head, visibility: Visibility) -> bool:
        """Whether a task of this name is of this form, on a backbone that sees `visibility`.

        A task that marks tokens is not: their programs would not mark them.
        """
        ours = {name for name in head.state_dict() if is_kept(name)}
        rows = {row.ours for row in self.rows}
        return (
            name in self.tasks
            and head.visibility == visibility
            and head.group == self.group
            and head.pooling == self.pooling
            and not head.marks_tokens
            and ours <= rows
            and all(name.endswith(".bias") for name in rows - ours)
        )


def similarities(body_class: str) -> tuple[TaskHead, ...]:
    """Return the heads that `sentence-transformers` computes: pooled texts, or their cosine."""
    poolings: tuple[PoolingMode, ...] = get_args(PoolingMode)
    return tuple(
        TaskHead(body_class, (head,), (), pooling=pooling, group=group)
        for head, group in (("matching", 2), ("sentence_vectors", 1))
        for pooling in poolings
    )


def is_kept(name: str) -> bool:
    """Whether a weight of a task is saved."""
    return not name.startswith(FOR_TRAINING)
