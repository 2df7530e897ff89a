"""The settings of a fine-tuning; those of a network's training are in `training.py`."""

from __future__ import annotations

from pydantic import Field

from foretext.base.config import Config
from foretext.tasks.lessons import Consistency

__all__ = ["FinetuningConfig"]


class FinetuningConfig(Config):
    """Settings of the section `[finetuning]`."""

    seeds: int = Field(1, ge=1)
    """Trainings with seeds one after another; the best one is kept."""
    valid_rate: float | None = Field(None, ge=0, lt=0.5)
    """Share of the rows held out if no file is given; none: a tenth from scratch, else 0."""
    refit: bool | None = None
    """Learn again from all rows, held-out ones too; none: if those are for figures alone."""
    body_dropout: float | None = Field(None, ge=0, lt=1)
    """Dropout within the base; none: 0.1 of Transformers, else the base's own."""
    fresh: bool = False
    """Take only the shape of a pretrained base, to see what pretraining gives."""
    baseline: bool | None = None
    """Measure a baseline of seconds beside the model; none: where it takes no longer."""
    ensemble: bool = False
    """Classification: answer together with the linear baseline."""
    teacher_weight: float = Field(0.5, gt=0, le=1)
    """Share of the teacher's answers in the loss; the labels have the rest."""
    teacher_temperature: float = Field(1.0, gt=0)
    """Temperature that softens the teacher's answers, and the model's beside them."""
    teacher_confidence: float = Field(0.0, ge=0, lt=1)
    """Probability of the teacher's answer from which an unlabelled row is learned from."""
    consistency_weight: float = Field(0.0, ge=0)
    """Weight of equal answers to unlabelled texts with replaced tokens; 0: not learned."""
    consistency_replaced_rate: float = Field(0.1, gt=0, lt=1)
    """Share of the tokens of an unlabelled text that are replaced."""
    consistency_temperature: float = Field(0.5, gt=0, le=1)
    """Temperature that sharpens the answers to unlabelled texts before they are learned."""
    consistency_confidence: float = Field(0.8, ge=0, lt=1)
    """Unlabelled texts whose answer is less probable are not learned from in a step."""
    adapt: str | float | None = None
    """Time to continue the pretraining on the texts first; below 1: a share of the budget."""
    calibrate: bool = False
    """Fit a temperature of probabilities to the held-out rows."""

    @property
    def consistency(self) -> Consistency | None:
        """How own answers to unlabelled texts are learned; None: they are not."""
        if not self.consistency_weight:
            return None
        return Consistency(
            self.consistency_weight,
            self.consistency_replaced_rate,
            self.consistency_temperature,
            self.consistency_confidence,
        )
