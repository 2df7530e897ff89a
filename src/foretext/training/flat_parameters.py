"""A model's parameters as one vector of float32, with a copy in bfloat16 to compute with.

Products of bfloat16 are four times as fast as those of float32, but an update is often smaller than
half a unit of a bfloat16 and would be lost. So the optimizer moves float32 masters (Micikevicius et
al. 2018, section 3.1), and the model's parameters are views of a rounded copy. Nothing is cast in a
step, as automatic mixed precision does at every use of a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

__all__ = ["FlatParameters", "Segment"]

ALIGNMENT = 32  # numbers; a cache line of bfloat16


class Segment(NamedTuple):
    """Where one parameter lies in the vectors."""

    name: str
    parameter: nn.Parameter
    offset: int
    decays: bool  # matrices do, biases and norms do not
    rate: float = 1.0  # its share of the learning rate

    @property
    def place(self) -> slice:
        """Its numbers in a vector."""
        return slice(self.offset, self.offset + self.parameter.numel())

    def view(self, vector: Tensor) -> Tensor:
        """Return its numbers of a vector, in its shape."""
        return vector[self.place].view(self.parameter.shape)


class FlatParameters:
    """The trainable parameters of `module`, which from now on are views of one vector.

    Until `release`, the module stays on its device and gets new values through `load` alone: its
    own `load_state_dict` would fill the copies and leave the masters as they were. A parameter that
    is used in two places has one segment, under the first of its names. Frozen parameters have no
    segment; they are in `dtype` too until `release`.

    Args:
        module: whose parameters are float32.
        dtype: what it computes with, float32 or bfloat16.
        rates: shares of the learning rate by name; 1 for those that are not named.
    """

    def __init__(
        self,
        module: nn.Module,
        dtype: torch.dtype = torch.float32,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        trainable = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        self.segments: list[Segment] = []
        size = 0
        for name, parameter in trainable:
            rate = (rates or {}).get(name, 1.0)
            self.segments.append(Segment(name, parameter, size, parameter.dim() > 1, rate))
            size += -(-parameter.numel() // ALIGNMENT) * ALIGNMENT
        device = trainable[0][1].device if trainable else None
        self.master = torch.zeros(size, device=device)
        self.working = self.master if dtype == torch.float32 else self.master.to(dtype)
        for segment in self.segments:
            segment.view(self.master).copy_(segment.parameter.detach())
            segment.parameter.data = segment.view(self.working)
        self.refresh()
        self._frozen = [(p, p.data) for p in module.parameters() if not p.requires_grad]
        for parameter, data in self._frozen:
            parameter.data = data.to(dtype)

    def refresh(self, segments: Iterable[Segment] | None = None) -> None:
        """Round the masters into the copy, of all segments or of some."""
        if self.working is not self.master:
            for segment in self.segments if segments is None else segments:
                self.working[segment.place].copy_(self.master[segment.place])

    def values(self) -> dict[str, Tensor]:
        """Return each parameter's float32 values by name; they are views."""
        return {segment.name: segment.view(self.master) for segment in self.segments}

    def load(self, values: Mapping[str, Tensor]) -> None:
        """Take over values by name.

        Raises:
            KeyError: a name is missing.
        """
        for name, master in self.values().items():
            master.copy_(values[name])
        self.refresh()

    def release(self) -> None:
        """Give the module its float32 values back: nothing will be learned any more."""
        for segment in self.segments:
            segment.parameter.data = segment.view(self.master)
        for parameter, data in self._frozen:
            parameter.data = data
