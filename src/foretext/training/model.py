"""A backbone and what is asked of it, an objective or a task, that fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

import torch
from torch import nn
from typing_extensions import TypeVar

from foretext.backbones.base import Backbone
from foretext.data.batch import Batch
from foretext.errors import SettingError
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import Criterion

__all__ = ["Model"]


CriterionT = TypeVar("CriterionT", bound=Criterion, default=Any)


class Model(nn.Module, Generic[CriterionT]):
    """What is trained: a batch goes in, the score of each part comes out.

    Raises:
        SettingError: the objective asks for a sight that the backbone does not have.
    """

    backbone: Backbone
    objective: CriterionT

    def __init__(self, backbone: Backbone, objective: CriterionT) -> None:
        super().__init__()
        if objective.visibility not in backbone.visibilities:
            raise SettingError(
                f"[objective] {type(objective).__name__} needs {objective.visibility} sight, and "
                f"[backbone] {type(backbone).__name__} has {', '.join(backbone.visibilities)} only."
            )
        self.backbone = backbone
        self.objective = objective

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    def recompute_layers(self) -> None:
        """Have the backward pass compute layers anew, so that their insides need not be kept.

        Raises:
            SettingError: the backbone cannot do so.
        """
        backbone: Any = self.backbone
        if not hasattr(backbone, "checkpointing"):
            raise SettingError(
                f"[training] gradient_checkpointing: {type(backbone).__name__} has no layers to "
                "compute again."
            )
        backbone.checkpointing = True

    def forward(self, batch: Batch) -> Mapping[str, Score]:
        """Score a batch."""
        return self.objective.scores(self.backbone(batch.inputs), batch)
