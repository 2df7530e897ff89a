"""How a network is trained: the settings of the section `[training]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.nn.device import DeviceName, Precision

__all__ = ["TrainingConfig"]


class TrainingConfig(Config):
    """Length, optimizer, schedule, precision and checkpoints of a training."""

    epochs: float = Field(10.0, gt=0)  # passes over the examples
    steps: int | None = Field(None, ge=1)  # in place of epochs
    budget_seconds: float | None = Field(None, gt=0)  # wall clock, in place of epochs or steps
    batch_examples: int = Field(32, ge=1)  # of one step, over all processes
    micro_batch_examples: int | None = Field(None, ge=1)  # computed at a time; None: all

    optimizer: Literal["adamw", "muon"] = "adamw"  # muon: for the matrices of layers; others adamw
    learning_rate: float = Field(5e-4, gt=0)  # the highest
    schedule: Literal["linear", "cosine", "inverse_sqrt", "constant"] = "linear"
    warmup_rate: float = Field(0.06, ge=0, lt=1)  # learning-rate warm-up: share of the training
    final_rate: float = Field(0.0, ge=0, le=1)  # of the learning rate, at the end of a fall
    weight_decay: float = Field(0.01, ge=0)  # not of norms and biases
    beta1: float = Field(0.9, ge=0, lt=1)
    beta2: float = Field(0.98, ge=0, lt=1)
    eps: float = Field(1e-6, gt=0)
    clip_norm: float | None = Field(1.0, gt=0)  # of the gradient; None: as it is

    # For a pretrained backbone:
    layer_decay: float = Field(1.0, gt=0, le=1)  # a layer's rate, of that of the layer above
    head_rate: float = Field(1.0, gt=0)  # times the rate: of all that is not in the backbone
    freeze: Literal["none", "embeddings", "backbone"] = "none"  # what is not trained
    freeze_layers: int = Field(0, ge=0)  # of the lowest ones, with the embeddings

    device: DeviceName = "auto"
    precision: Precision = "auto"  # fp32 masters in either
    compile: bool = False  # by torch.compile; takes minutes before the first step
    gradient_checkpointing: bool = False  # layers computed twice, for less memory
    shard: bool = False  # masters and moments over torchrun's processes; no effect in one

    valid_steps: int | None = Field(None, ge=1)  # between held-out losses; None: 20 in all
    patience: int | None = Field(None, ge=1)  # early stopping: held-out losses without a better one
    keep: Literal["last", "best"] = "last"  # which weights the run ends with
    checkpoint_seconds: float = Field(300.0, ge=0)  # between two checkpoints
    checkpoints_kept: int = Field(1, ge=1)  # the newest ones; an older one serves if it is damaged
    tensorboard: bool = False  # also write its files
    seed: int = Field(1, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _has_effect(self) -> TrainingConfig:
        lengths = {"epochs", "steps", "budget_seconds"} & self.changed
        if len(lengths) > 1:
            raise ValueError(f"of {', '.join(sorted(lengths))} only one can say how long")
        if self.schedule == "constant" and "final_rate" in self.changed:
            raise ValueError("final_rate would have no effect under a constant schedule")
        if (self.micro_batch_examples or 1) > self.batch_examples:
            raise ValueError("micro_batch_examples is more than batch_examples")
        if self.shard and self.optimizer == "muon":
            raise ValueError("shard would cut the matrices that muon moves as one; use adamw")
        if self.freeze_layers and self.freeze != "none":
            raise ValueError("freeze and freeze_layers: one of them freezes what both would")
        if self.freeze == "backbone" and self.layer_decay != 1:
            raise ValueError("layer_decay would have no effect with a frozen backbone")
        return self
