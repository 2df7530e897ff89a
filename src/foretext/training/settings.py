"""How a network is trained: the settings of the section `[training]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.nn.device import DeviceName
from foretext.nn.precision import Precision

__all__ = ["TrainingConfig"]


class TrainingConfig(Config):
    """Length, optimizer, schedule, precision and checkpoints of a training."""

    epochs: float = Field(10.0, gt=0)
    """Passes over the examples."""
    steps: int | None = Field(None, ge=1)
    """Optimizer steps, in place of epochs."""
    budget_seconds: float | None = Field(None, gt=0)
    """Wall-clock time of the training, in place of epochs or steps."""
    batch_examples: int = Field(32, ge=1)
    """Examples of one step, over all processes."""
    batch_tokens: int | None = Field(None, ge=1)
    """Tokens of one step, in place of batch_examples: as many texts of like length as they fill."""
    short_row_rate: float = Field(0.0, ge=0, le=1)
    """Share of the training, from its beginning, in which rows are cut into quarters."""
    stacking_rate: float = Field(0.0, ge=0, lt=1)
    """Share of the training, from its beginning, in which half of the layers learn alone."""
    micro_batch_examples: int | None = Field(None, ge=1)
    """Examples that are computed at a time; none: all of the step."""

    optimizer: Literal["adamw", "muon"] = "adamw"
    """muon moves the matrices of layers, and adamw the other weights."""
    learning_rate: float = Field(5e-4, gt=0)
    """The highest learning rate."""
    schedule: Literal["linear", "cosine", "inverse_sqrt", "constant"] = "linear"
    """How the learning rate falls after the warm-up."""
    warmup_rate: float = Field(0.06, ge=0, lt=1)
    """Share of the training in which the learning rate rises."""
    final_rate: float = Field(0.0, ge=0, le=1)
    """Share of the learning rate that is left at the end."""
    weight_decay: float = Field(0.01, ge=0)
    """Weight decay; norms and biases have none."""
    beta1: float = Field(0.9, ge=0, lt=1)
    """Decay of AdamW's mean of gradients."""
    beta2: float = Field(0.98, ge=0, lt=1)
    """Decay of AdamW's mean of squared gradients."""
    eps: float = Field(1e-6, gt=0)
    """Number that AdamW adds to a denominator."""
    clip_norm: float | None = Field(1.0, gt=0)
    """Norm that the gradient is clipped to; none: it is not clipped."""

    # For a pretrained backbone:
    layer_decay: float = Field(1.0, gt=0, le=1)
    """Learning rate of a layer, as a share of that of the layer above."""
    head_rate: float = Field(1.0, gt=0)
    """Factor on the learning rate of all that is not in the backbone."""
    freeze: Literal["none", "vectors", "embeddings", "backbone"] = "none"
    """What is not trained: the token vectors, all embeddings, or the whole backbone."""
    freeze_layers: int = Field(0, ge=0)
    """Number of the lowest layers that are not trained, with the embeddings."""
    frozen_states_gb: float = Field(2.0, ge=0)
    """Memory for the states of a frozen backbone; with 0 they are computed in each epoch."""

    device: DeviceName = "auto"
    """Where to compute; auto: on a GPU if there is one."""
    precision: Precision = "auto"
    """Number format of the computation; the master weights are fp32."""
    compile: bool = False
    """Use torch.compile; it takes minutes before the first step."""
    gradient_checkpointing: bool = False
    """Compute layers twice, for less memory."""
    sharding: Literal["none", "optimizer", "full"] = "none"
    """What torchrun's processes share out: masters and moments, or weights and gradients too."""

    valid_steps: int | None = Field(None, ge=1)
    """Steps between two held-out losses; none: 20 losses in all."""
    patience: int | None = Field(None, ge=1)
    """Early stopping: held-out losses without a better one."""
    keep: Literal["last", "best"] = "last"
    """Which weights the run ends with."""
    checkpoint_seconds: float = Field(300.0, ge=0)
    """Time between two checkpoints."""
    checkpoints_kept: int = Field(1, ge=1)
    """Checkpoints that are kept; an older one serves if the newest is damaged."""
    tensorboard: bool = False
    """Also write files for TensorBoard."""
    seed: int = Field(1, ge=0, lt=2**31)
    """Of all random draws."""

    @model_validator(mode="after")
    def _has_effect(self) -> TrainingConfig:
        lengths = {"epochs", "steps", "budget_seconds"} & self.changed
        if len(lengths) > 1:
            raise ValueError(f"of {', '.join(sorted(lengths))} only one can say how long")
        if self.schedule == "constant" and "final_rate" in self.changed:
            raise ValueError("final_rate would have no effect under a constant schedule")
        if self.batch_tokens is not None and "batch_examples" in self.changed:
            raise ValueError("of batch_examples and batch_tokens only one can say how many")
        if self.batch_tokens is None and (self.micro_batch_examples or 1) > self.batch_examples:
            raise ValueError("micro_batch_examples is more than batch_examples")
        if self.sharding != "none" and self.optimizer == "muon":
            raise ValueError("sharding would cut the matrices that muon moves as one; use adamw")
        if self.sharding == "full" and self.compile:
            raise ValueError("compile would put together what sharding = 'full' keeps apart")
        if self.freeze_layers and self.freeze != "none":
            raise ValueError("freeze and freeze_layers: one of them freezes what both would")
        if "frozen_states_gb" in self.changed and self.freeze != "backbone":
            raise ValueError("frozen_states_gb would have no effect without freeze = 'backbone'")
        if self.freeze == "backbone" and self.short_row_rate:
            raise ValueError("short_row_rate would have no effect with a frozen backbone")
        if self.stacking_rate and (self.freeze != "none" or self.freeze_layers):
            raise ValueError("stacking_rate would write over layers that freeze keeps as they are")
        if self.stacking_rate and self.sharding != "none":
            raise ValueError("stacking_rate needs whole weights, which sharding takes apart")
        if self.freeze == "backbone" and self.layer_decay != 1:
            raise ValueError("layer_decay would have no effect with a frozen backbone")
        return self
