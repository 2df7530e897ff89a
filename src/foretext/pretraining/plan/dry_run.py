"""What a training would need on devices that are not here: memory, time, and what is sent.

Nothing is measured. Work is the network's own formula (`foretext.nn.flops`), done at a share of
what the device can do, its utilization; 40 % where the user knows no better (Chowdhery et al. 2022,
"PaLM", table 3, has 21 to 46 % for large models). Small networks reach less. Without full sharding
sums follow the backward pass; with it they go on beside the computation, and the longer counts.

What each of N processes keeps in its memory in a step, and what it sends, by kind of sharding.

P weights in all; with full sharding R of them stand outside of blocks (embeddings, heads), and the
largest block has K. Bytes a weight, w those of a number that is computed with (2 in bfloat16, 4 in
float32), m those of masters beside them (4 in bfloat16, none in float32):

| | none | optimizer | full |
|---|---|---|---|
| weights | w P | w P | 4 P / N + w (R + 2 K + max(R, K)) |
| gradients | w P + 4 P, the sum | w P + 8 P / N | 4 P / N + w (R + K) + 4 max(R, K) |
| optimizer | (m + 8) P | (m + 8) P / N | 12 P / N |

In one process nothing is summed, and nothing is shared. Sums go in float32: as gradients of 4 P
once, and weights come back in w P, with full sharding twice. On a ring each process sends (N - 1) /
N of that (docs/decisions/0019-sharded-optimizer.md, 0080-full-sharding.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import torch

from foretext.pretraining.plan.devices import Device, device_named
from foretext.pretraining.plan.memory import LOGIT_BYTES, PROGRAM_BYTES
from foretext.training.activations import activation_bytes, score_bytes
from foretext.training.flops import ModelFlops
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.sharded_parameters import sharded_blocks

__all__ = ["SHARDINGS", "DryRun", "Footprint", "Weights", "dry_runs", "footprint", "weights_of"]

Sharding = Literal["none", "optimizer", "full"]

SHARDINGS: tuple[Sharding, ...] = ("none", "optimizer", "full")
CHECKPOINT_RATE = 1 / 10  # of activations, where layers are computed twice: one of their inputs
SUM = 4  # bytes of a gradient that is summed
MOMENTS = 8


@dataclass(frozen=True)
class Footprint:
    """Bytes of one process."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    sent: int  # a step, to other processes

    @property
    def total(self) -> int:
        """All that is in memory."""
        return self.weights + self.gradients + self.optimizer + self.activations


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
    activations = sum(
        activation_bytes(n.depth, n.dim, tokens, dtype)
        + score_bytes(n, tokens // length, length, dtype)
        for n in networks
    )
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


class Weights(NamedTuple):
    """How many weights a network has, and where."""

    every: int
    outside: int  # of blocks
    largest: int  # of a block


def footprint(
    weights: Weights, kind: Sharding, processes: int, dtype: torch.dtype, activations: int
) -> Footprint:
    """Return the bytes of one process in a step.

    Args:
        weights: of the network.
        kind: what is shared out.
        processes: N.
        dtype: what is computed in.
        activations: bytes of them; they are never shared.
    """
    P, R, K = weights
    N, w = processes, dtype.itemsize
    master = 0 if dtype == torch.float32 else 4
    if N == 1:
        return Footprint(w * P, w * P, (master + MOMENTS) * P, activations, 0)
    sums, ring = SUM * P, (N - 1) / N
    if kind == "none":
        sent = round(2 * sums * ring)
        return Footprint(w * P, w * P + sums, (master + MOMENTS) * P, activations, sent)
    if kind == "optimizer":
        gradients, optimizer = w * P + 2 * sums // N, (master + MOMENTS) * P // N
        return Footprint(w * P, gradients, optimizer, activations, round((sums + w * P) * ring))
    return Footprint(
        weights=4 * P // N + w * (R + 2 * K + max(R, K)),  # the last: as it comes in
        gradients=sums // N + w * (R + K) + SUM * max(R, K),
        optimizer=12 * P // N,
        activations=activations,
        sent=round((sums + 2 * w * P) * ring),
    )
