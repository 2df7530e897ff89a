"""A model's parameters as one vector of float32, with a copy in bfloat16 to compute with.

Products of bfloat16 are four times as fast as those of float32, but an update is often smaller than
half a unit of a bfloat16 and would be lost. So the optimizer moves float32 masters (Micikevicius et
al. 2018, section 3.1), and the model's parameters are views of a rounded copy. Nothing is cast in a
step, as automatic mixed precision does at every use of a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import torch
from torch import Tensor, nn

from foretext.training.processes import Processes
from foretext.training.segment import Segment
from foretext.training.shard import ALIGNMENT, Shard

__all__ = ["FlatParameters"]


class FlatParameters:
    """The trainable parameters of `module`, which from now on are views of one vector.

    Until `release`, the module stays on its device and gets new values through `load` only: its
    own `load_state_dict` would fill the copies and leave the masters as they were. A parameter that
    is used in two places has one segment, under the first of its names. Frozen parameters have no
    segment; they are in `dtype` too until `release`.

    Where processes share the masters out, each has a slice of them and all of what the model
    computes with; in float32 the slice is a part of that, and costs nothing.

    Attributes:
        network: the module, which is what is trained.

    Args:
        module: whose parameters are float32.
        dtype: what it computes with, float32 or bfloat16.
        rates: shares of the learning rate by name; 1 for those that are not named.
        sharing: processes that share the masters out; None: all are kept here.
    """

    sums_gradients = False  # in each backward pass

    def __init__(
        self,
        module: nn.Module,
        dtype: torch.dtype = torch.float32,
        rates: Mapping[str, float] | None = None,
        sharing: Processes | None = None,
    ) -> None:
        self.network = module
        self.segments = _segments(module, rates or {})
        size = self.segments[-1].place.stop if self.segments else 0
        self.shard = Shard(size, sharing)
        parts = (segment.cut(self.shard.place) for segment in self.segments)
        self.own = [part for part in parts if part is not None]
        device = self.segments[0].parameter.device if self.segments else None
        self.working = torch.zeros(self.shard.size, dtype=dtype, device=device)
        self.copy = self.working[self.shard.place]  # of the masters
        in_float32 = dtype == torch.float32
        self.master = self.copy if in_float32 else torch.zeros_like(self.copy, dtype=torch.float32)
        for segment in self.own:
            segment.fill(self.master, segment.parameter.detach())
        for segment in self.segments:
            segment.view(self.working).copy_(segment.parameter.detach())
            segment.parameter.data = segment.view(self.working)
        self._frozen = [(p, p.data) for p in module.parameters() if not p.requires_grad]
        for parameter, data in self._frozen:
            parameter.data = data.to(dtype)

    def refresh(self, parts: Iterable[Segment] | None = None) -> None:
        """Round the masters into the copy: all of the own slice, or some parts of it."""
        if self.copy is self.master:
            return
        for place in [slice(None)] if parts is None else [part.place for part in parts]:
            self.copy[place].copy_(self.master[place])

    def share(self) -> None:
        """Give every process the copies of all."""
        self.shard.share(self.working)

    def summed(
        self, gathered: Callable[[slice], Tensor], processes: Processes
    ) -> dict[Segment, Tensor]:
        """Add up the gradients of all processes; returns those of the own slice, float32.

        Args:
            gathered: makes a slice of this process's gradients, to be overwritten.
            processes: all of them.
        """
        if self.shard.count > 1:
            vector = self.shard.sum(gathered)
        else:
            vector = gathered(self.shard.place)
            processes.sum([vector])
        return {part: vector[part.place] for part in self.own}

    def by_name(self, vector: Tensor) -> dict[str, Tensor]:
        """Return each parameter's numbers of a vector like the master.

        They are views; of sharded vectors the first process gets copies, the others nothing.
        """
        whole = self.shard.collect(vector)
        if whole is None:
            return {}
        return {segment.name: segment.view(whole) for segment in self.segments}

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
        self.refresh()
        self.share()

    def release(self) -> None:
        """Give the module its float32 values back: nothing will be learned any more."""
        in_float32 = self.working.dtype == torch.float32
        whole = self.working if in_float32 else self.shard.whole(self.master)
        for segment in self.segments:
            segment.parameter.data = segment.view(whole)
        for parameter, data in self._frozen:
            parameter.data = data


def _segments(module: nn.Module, rates: Mapping[str, float]) -> list[Segment]:
    """Lay the trainable parameters out, one after another."""
    segments, offset = [], 0
    for name, p in module.named_parameters():
        if p.requires_grad:
            rate = rates.get(name, 1.0)
            segments.append(Segment(name, p, offset, p.numel(), p.dim() > 1, rate))
            offset += -(-p.numel() // ALIGNMENT) * ALIGNMENT
    return segments
