"""A classification that learns from rows with labels and from rows without."""

from __future__ import annotations

from foretext.backbones.base import Backbone
from foretext.heads.classification import ClassificationHead
from foretext.objectives.criterion import Criterion

__all__ = ["IS_LABELLED", "PartlyLabelled"]

IS_LABELLED = "is_labelled"  # target: which rows have a label of their own, (B,) bool


class PartlyLabelled(Criterion):
    """The loss of a task, and another part of the loss that needs no labels.

    Args:
        head: that is learned; it answers alone afterwards.
    """

    def __init__(self, head: ClassificationHead) -> None:
        super().__init__()
        self.head = head
        self.visibility = head.visibility

    @property
    def needs_layers(self) -> bool:
        """Whether the task reads the states of every layer."""
        return self.head.needs_layers

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone that the task does not fit."""
        self.head.check(backbone)
