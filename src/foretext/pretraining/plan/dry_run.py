"""What a training would need on devices that are not here: memory, time, and what is sent.

Nothing is measured. Work is the network's own formula (`foretext.nn.flops`), done at a share of
what the device can do, its utilization; 40 % where the user knows no better (Chowdhery et al. 2022,
"PaLM", table 3, has 21 to 46 % for large models). Small networks reach less. Without full sharding
sums follow the backward pass; with it they go on beside the computation, and the longer counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import torch

from foretext.pretraining.plan.devices import Device, device_named
from foretext.pretraining.plan.footprint import Footprint, Sharding, Weights, footprint
from foretext.pretraining.plan.memory import LOGIT_BYTES, PROGRAM_BYTES
from foretext.training.activations import activation_bytes
from foretext.training.flops import ModelFlops
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.sharded_parameters import sharded_blocks

__all__ = ["SHARDINGS", "DryRun", "dry_runs", "weights_of"]

SHARDINGS: tuple[Sharding, ...] = ("none", "optimizer", "full")
CHECKPOINT_RATE = 1 / 10  # of activations, where layers are computed twice: one of their inputs


@dataclass(frozen=True)
class DryRun:
    """One training on one kind of device."""

    sharding: Sharding
    processes: int
    device: str
    parameters: int
    bytes: Footprint  # of each device
    device_bytes: float
    step_tokens: int  # of all processes
    compute_seconds: float  # of a step
    network_seconds: float  # of a step, some of it beside the computation
    utilization: float  # that was assumed

    @property
    def fits(self) -> bool:
        """Whether the memory of a device is enough."""
        return self.total_bytes <= self.device_bytes

    @property
    def total_bytes(self) -> int:
        """Of each device, with the program."""
        return self.bytes.total + LOGIT_BYTES + PROGRAM_BYTES

    @property
    def step_seconds(self) -> float:
        """Of a step."""
        parts = (self.compute_seconds, self.network_seconds)
        return max(parts) if self.sharding == "full" else sum(parts)

    @property
    def tokens_per_second(self) -> float:
        """Of all processes together."""
        return self.step_tokens / self.step_seconds

    def as_dict(self) -> dict[str, Any]:
        """Return all of it for JSON."""
        return {
            **asdict(self),
            "total_bytes": self.total_bytes,
            "fits": self.fits,
            "step_seconds": self.step_seconds,
            "tokens_per_second": round(self.tokens_per_second),
            "seconds_per_billion_tokens": 1e9 / self.tokens_per_second,
        }


def dry_runs(
    model: Model,
    config: TrainingConfig,
    device: str,
    processes: int,
    utilization: float,
) -> Iterator[DryRun]:
    """Yield what each kind of sharding would need.

    Args:
        model: on the device "meta", which has no memory.
        config: of the training.
        device: the name of one in `DEVICES`.
        processes: a device each.
        utilization: share of a device's operations that the training uses.

    Raises:
        SettingError: the device is not known.
    """
    found = device_named(device)
    dtype = torch.float32 if model.backbone.keeps_fp32 else torch.bfloat16
    length = model.objective.row_length or model.backbone.usual_length
    share = math.ceil(config.batch_examples / processes)
    tokens = min(share, config.micro_batch_examples or share) * length
    networks = (model.backbone, *model.objective.networks.values())
    activations = sum(activation_bytes(n.depth, n.dim, tokens, dtype) for n in networks)
    if config.gradient_checkpointing:
        activations = round(activations * CHECKPOINT_RATE)
    work = _flops_per_token(model, length) * share * length
    again = 4 / 3 if config.gradient_checkpointing else 1.0  # forward passes twice
    for kind in SHARDINGS if processes > 1 else SHARDINGS[:1]:
        needs = footprint(weights_of(model), kind, processes, dtype, activations)
        yield DryRun(
            sharding=kind,
            processes=processes,
            device=device,
            parameters=weights_of(model).every,
            bytes=needs,
            device_bytes=found.memory,
            step_tokens=config.batch_examples * length,
            compute_seconds=again * work / (utilization * found.flops),
            network_seconds=needs.sent / _rate(found, processes),
            utilization=utilization,
        )


def weights_of(model: Model) -> Weights:
    """Count the weights of a model, and those that full sharding puts together at a time."""
    every = sum(p.numel() for p in model.parameters())
    blocks = [sum(p.numel() for p in block.parameters()) for block in sharded_blocks(model)]
    return Weights(every, every - sum(blocks), max(blocks, default=0))


def _rate(device: Device, processes: int) -> float:
    """Bytes a second of the slowest link of a ring."""
    return device.near if processes <= device.neighbours else min(device.near, device.far)


def _flops_per_token(model: Model, length: int) -> float:
    """Operations of a token in a full row, forward and backward; its source is as long."""
    flops = ModelFlops(model)
    work = 0.0
    for found in flops.networks:
        if found is None:  # no formula: six for each weight
            return 6.0 * weights_of(model).every
        pairs = found.per_pair + found.per_source_pair + found.per_cross_pair
        work += found.per_token + found.per_source_token + pairs * length
    predicted = float(model.objective.config.model_dump().get("mask_rate") or 1.0)
    return work + predicted * sum(flops.heads.values())
