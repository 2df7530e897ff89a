"""A model whose parameters, gradients and optimizer state are shared out among processes (FSDP2).

Zhao et al. 2023 ("PyTorch FSDP", sections 3 and 4), stage 3 of ZeRO: a process keeps some rows of
each parameter. PyTorch's `fully_shard` gathers the weights of a block when the block computes and
frees them afterwards, in the forward and in the backward pass, and sums gradients where they are
kept. What stands outside of blocks, embeddings and heads, is whole from the forward to the backward
pass.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.segment import Segment
from foretext.training.shard import ALIGNMENT, Shard

if TYPE_CHECKING:  # they load for a second
    from torch.distributed.fsdp import FSDPModule
    from torch.distributed.tensor import DTensor

__all__ = ["ShardedParameters", "sharded_blocks"]

BLOCK = re.compile(r"((?!blocks\.).)*\bblocks\.\d+")  # a module's name; none within another block


class ShardedParameters:
    """The parameters of a twin of `model`, of which each process keeps some rows.

    The verbs are those of `FlatParameters`. The twin is what is trained. Until `release` the
    weights of `model` itself are of no use: they take no memory.

    Args:
        model: in main memory, in float32.
        dtype: what is computed with, float32 or bfloat16; gradients are summed in float32.
        rates: shares of the learning rate by name; 1 for those that are not named.
        processes: that share everything.

    Attributes:
        network: the twin.
        master: the own rows of all trainable parameters, float32.
        own: where each parameter's rows lie in it; all of a parameter where `first` is 0 and no
            other process has rows of it.

    Raises:
        SettingError: the model cannot be shared out.
    """

    sums_gradients = True  # in each backward pass, over the processes

    def __init__(
        self,
        model: Model,
        dtype: torch.dtype,
        rates: Mapping[str, float] | None,
        processes: Processes,
    ) -> None:
        _check(model)
        self.model = model
        self.network = _twin(model)
        _shard(self.network, dtype, processes)
        for parameter in model.parameters():  # of which the twin has its rows
            parameter.data = parameter.data.new_zeros(()).expand(parameter.shape)
        self.segments, size = _segments(self.network, rates or {}, processes.size)
        self.shard = Shard(size * processes.size, processes)
        self.own = [part for part in map(self._own, self.segments) if part is not None]
        self.master = torch.zeros(size, device=processes.device)
        self.copy = self.master  # `fully_shard` rounds what it gathers
        for part in self.own:
            self.master[part.place].copy_(_rows(part.parameter))

    def refresh(self, parts: Iterable[Segment] | None = None) -> None:
        """Do nothing: there is no copy in another number format."""

    def share(self) -> None:
        """Give the twin the masters; from the next forward pass on all processes compute so."""
        self._free_whole()
        with torch.no_grad():
            for part in self.own:
                _rows(part.parameter).copy_(self.master[part.place])

    def summed(
        self, gathered: Callable[[slice], Tensor], processes: Processes
    ) -> dict[Segment, Tensor]:
        """Take the gradients of the own rows, which were summed over the processes already."""
        found = {}
        for part in self.own:
            if part.parameter.grad is not None:
                found[part] = _rows(part.parameter.grad)
        for segment in self.segments:
            segment.parameter.grad = None
        return found

    def by_name(self, vector: Tensor) -> dict[str, Tensor]:
        """Return each parameter's numbers of a vector like the master, to the first process.

        They are in its main memory; the others get nothing.
        """
        whole = self.shard.collect(vector)
        if whole is None:
            return {}
        by_owner = whole.view(self.shard.count, -1)
        return {
            segment.name: by_owner[:, segment.place]
            .reshape(-1)[: segment.parameter.numel()]
            .view(segment.parameter.shape)
            for segment in self.segments
        }

    def values(self) -> dict[str, Tensor]:
        """Return each parameter's float32 values, as `by_name` does."""
        return self.by_name(self.master)

    def load(self, values: Mapping[str, Tensor]) -> None:
        """Take over values by name.

        Raises:
            KeyError: a name is missing.
        """
        for part in self.own:
            part.fill(self.master, values[part.name])
        self.share()

    def release(self) -> None:
        """Give the model its weights, whole, in the main memory of each process."""
        self._free_whole()
        weights = dict(self.model.named_parameters())
        for name, parameter in self.network.named_parameters():
            weights[name].data = cast("DTensor", parameter.detach()).full_tensor().cpu()

    def _free_whole(self) -> None:
        """Free what the newest forward pass gathered, in case no backward pass followed."""
        for module in (*sharded_blocks(self.network), self.network):
            cast("FSDPModule", module).reshard()

    def _own(self, segment: Segment) -> Segment | None:
        """Return the own rows of a parameter; None: it has too few for all processes."""
        first = self.shard.rank * segment.size
        size = min(segment.parameter.numel() - first, segment.size)
        return segment._replace(first=first, size=size) if size > 0 else None


def _check(model: Model) -> None:
    if model.objective.compares_examples:
        raise SettingError(
            f"[training] sharding = 'full': the loss of {type(model.objective).__name__} compares "
            "all examples of a batch, for which each process needs whole weights; use 'optimizer'."
        )
    if not model.backbone.can_be_shared_out:
        raise SettingError(
            f"[training] sharding = 'full': {type(model.backbone).__name__} has no blocks that are "
            "computed one at a time; use 'optimizer'."
        )
    scalars = [name for name, parameter in model.named_parameters() if not parameter.dim()]
    if scalars:
        raise SettingError(
            f"[training] sharding = 'full': {scalars[0]} is a single number, which has no rows to "
            "share out; use 'optimizer'."
        )


def _twin(model: Model) -> Model:
    """Return a copy of a model that shares its weights, but not its buffers."""
    shared = {id(p): nn.Parameter(p.data, p.requires_grad) for p in model.parameters()}
    return copy.deepcopy(model, cast(dict[int, object], shared))


def _shard(network: Model, dtype: torch.dtype, processes: Processes) -> None:
    """Share the weights of a network out, on the device of the processes."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    mesh = init_device_mesh(processes.device.type, (processes.size,))
    policy = MixedPrecisionPolicy(
        param_dtype=dtype, reduce_dtype=torch.float32, cast_forward_inputs=False
    )
    for module in (*sharded_blocks(network), network):
        sharded = fully_shard(module, mesh=mesh, mp_policy=policy)
        # Losses are divided by the predictions of all processes before, so gradients are added.
        sharded.set_force_sum_reduction_for_comms(True)
        sharded.set_gradient_divide_factor(1.0)
        # What one process's rows do not reach, those of another may.
        sharded.set_reduce_scatter_unused_params(True)


def sharded_blocks(network: Model) -> Iterator[nn.Module]:
    """Yield what is gathered at a time: the members of each `ModuleList` named `blocks`."""
    return (module for name, module in network.named_modules() if BLOCK.fullmatch(name))


def _segments(network: Model, rates: Mapping[str, float], count: int) -> tuple[list[Segment], int]:
    """Lay the rows that each process has of each trainable parameter out, one after another.

    Every process has as many numbers, `size` of each segment; the last rows of some are empty.
    """
    segments, offset = [], 0
    for name, p in network.named_parameters():
        if p.requires_grad:
            size = -(-p.shape[0] // count) * (p.numel() // max(p.shape[0], 1))
            segments.append(Segment(name, p, offset, size, p.dim() > 1, rates.get(name, 1.0)))
            offset += -(-size // ALIGNMENT) * ALIGNMENT
    return segments, offset


def _rows(tensor: Tensor) -> Tensor:
    """Return the own rows of a parameter or of its gradient, as a vector."""
    return cast("DTensor", tensor).to_local().detach().view(-1)
