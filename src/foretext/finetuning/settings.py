"""The settings of a fine-tuning; those of a network's training are in `training.py`."""

from __future__ import annotations

from pydantic import Field

from foretext.config import Config

__all__ = ["FinetuningConfig"]


class FinetuningConfig(Config):
    """Settings of the section `[finetuning]`."""

    seeds: int = Field(1, ge=1)  # trainings with seeds one after another; the best one is kept
    valid_rate: float | None = Field(None, ge=0, lt=0.5)  # of the rows, where no file is given;
    # None: a tenth for networks that learn from scratch, nothing for pretrained ones
    body_dropout: float | None = Field(None, ge=0, lt=1)  # None: 0.1 of Transformers, else theirs
    fresh: bool = False  # of a pretrained base the shape alone, to see what pretraining gives
    baseline: bool | None = None  # measure what is learned in seconds beside it; None: a network
    ensemble: bool = False  # classification: answer together with the linear baseline
    calibrate: bool = False  # fit a temperature of probabilities to the held-out rows
