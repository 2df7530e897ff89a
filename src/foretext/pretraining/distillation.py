"""What a language model is trained with beside its objective where it has a teacher."""

from __future__ import annotations

import copy
from typing import cast

from torch import nn

from foretext.backbones.base import Backbone
from foretext.language_model import LanguageModel
from foretext.nn.device import choose_device
from foretext.nn.precision import choose_dtype
from foretext.objectives.base import Objective
from foretext.objectives.distilled import Distilled, DistilledWeights
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import Validation

__all__ = ["ValidationOf", "distilled"]


def distilled(model: Model[Objective], teacher: LanguageModel, config: TrainingConfig) -> Distilled:
    """Return the objective of a student with its teacher, a copy in the precision of the training.

    Raises:
        SettingError: the objective has nothing that a teacher could say.
    """
    device = choose_device(config.device)
    dtype = choose_dtype("fp32" if teacher.backbone.keeps_fp32 else config.precision, device)
    objective = teacher.objective
    assert objective is not None, "student_of() comes first"
    together = nn.ModuleList([teacher.backbone, objective])  # heads share its weights
    tokenizer = teacher.tokenizer
    theirs = copy.deepcopy(together, {id(tokenizer): tokenizer}).to(device, dtype)
    backbone, answering = cast(Backbone, theirs[0]), cast(Objective, theirs[1])
    return Distilled(model.objective, model.backbone, backbone, answering, DistilledWeights())


class ValidationOf(Validation):
    """Measures a model that shares its weights with the one that is trained.

    Args:
        inner: measures.
        model: whose objective is the one that losses are compared by.
    """

    def __init__(self, inner: Validation, model: Model) -> None:
        self.inner, self.model = inner, model
        self.judged_by, self.higher_is_better = inner.judged_by, inner.higher_is_better
        self.num_examples = inner.num_examples

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of the own model."""
        self.model.eval()
        figures = self.inner.measure(self.model)
        self.model.train(model.training)
        return figures

    def sample(self, size: int) -> None:
        """Measure a sample."""
        self.inner.sample(size)

    def rewind(self, num_measured: int) -> None:
        """Drop what was written of later measurements."""
        self.inner.rewind(num_measured)
