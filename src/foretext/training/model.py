"""A backbone and an objective or a task that fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

import torch
from torch import Tensor, nn
from typing_extensions import TypeVar

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.nn.precision import Precision, choose_dtype
from foretext.nn.vocabulary_head import Score
from foretext.objectives.criterion import Criterion, check_pair

__all__ = ["Model", "training_dtype"]

CriterionT = TypeVar("CriterionT", bound=Criterion, default=Any)


class Model(nn.Module, Generic[CriterionT]):
    """What is trained: a batch goes in, the score of each part comes out.

    Attributes:
        carried: what the rows of the newest batch left for the batch that continues them, tensors
            (B, ...) without gradients; empty where the backbone leaves nothing.

    Raises:
        SettingError: backbone and objective do not fit.
    """

    backbone: Backbone
    objective: CriterionT

    def __init__(self, backbone: Backbone, objective: CriterionT) -> None:
        super().__init__()
        check_pair(backbone, objective)
        self.backbone = backbone
        self.objective = objective
        self.carried: tuple[Tensor, ...] = ()

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    def forward(self, batch: Batch, states: States | None = None) -> Mapping[str, Score]:
        """Score a batch, whose states may be known already."""
        batch = self.objective.prepare(batch, self.backbone)
        if states is None:
            states = self.backbone(batch.inputs, keep_layers=self.objective.needs_layers)
        self.carried = tuple(state.detach() for state in states.carried)
        return self.objective.scores(states, batch)

    def vectors(self, batch: Batch) -> Tensor:
        """Return the vectors (B, D) by which the criterion compares the examples of a batch."""
        found = [self._vectors(part) for part in batch.places()]
        return torch.stack(found, 1).flatten(0, 1)

    def _vectors(self, batch: Batch) -> Tensor:
        batch = self.objective.prepare(batch, self.backbone)
        states = self.backbone(batch.inputs, keep_layers=self.objective.needs_layers)
        vectors: Tensor = self.objective.vectors(states, batch)
        return vectors


def training_dtype(
    model: Model, precision: Precision, device: torch.device | None = None
) -> torch.dtype:
    """Return bfloat16 or float32: what the user, the device and the backbone allow.

    Args:
        model: that is trained.
        precision: that the user wants.
        device: where it will be; None: where it is.

    Raises:
        SettingError: the backbone cannot compute in bfloat16.
    """
    if not model.backbone.keeps_fp32:
        return choose_dtype(precision, device or model.device)
    if precision == "bf16":
        raise SettingError(
            f"[training] precision = 'bf16': {type(model.backbone).__name__} computes in fp32 "
            "only; leave it at 'auto'."
        )
    return torch.float32
