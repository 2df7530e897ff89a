"""A classification that learns from rows with labels and from rows without."""

from __future__ import annotations

from foretext.backbones.base import Backbone
from foretext.objectives.criterion import Criterion
from foretext.tasks.classification import Classification

__all__ = ["IS_LABELLED", "PartlyLabelled"]

IS_LABELLED = "is_labelled"  # target: which rows have a label of their own, (B,) bool


class PartlyLabelled(Criterion):
    """The loss of a task, and another part of the loss that needs no labels.

    Args:
        task: that is learned; it answers alone afterwards.
    """

    def __init__(self, task: Classification) -> None:
        super().__init__()
        self.task = task
        self.visibility = task.visibility

    @property
    def needs_layers(self) -> bool:
        """Whether the task reads the states of every layer."""
        return self.task.needs_layers

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone that the task does not fit."""
        self.task.check(backbone)
