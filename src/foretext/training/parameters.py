"""What optimizers see of a model's parameters, whoever keeps which of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from torch import Tensor, nn

from foretext.training.processes import Processes
from foretext.training.segment import Segment
from foretext.training.shard import Shard

__all__ = ["Parameters"]


class Parameters(Protocol):
    """Float32 masters as one vector; of several processes each may have a slice of them."""

    sums_gradients: bool  # whether a backward pass adds up the gradients of all processes
    segments: list[Segment]  # of all trainable parameters
    own: list[Segment]  # what of them lies in the own slice, with places in it
    master: Tensor  # the own slice, float32
    copy: Tensor  # of the own slice, in the format that is computed with; may be the master itself
    shard: Shard

    @property
    def network(self) -> nn.Module:
        """What is trained."""

    def refresh(self, parts: Iterable[Segment] | None = None) -> None:
        """Round the masters into the copy: all of the own slice, or some parts of it."""

    def share(self) -> None:
        """Let all processes compute with the own slice."""

    def summed(
        self, gathered: Callable[[slice], Tensor], processes: Processes
    ) -> Mapping[Segment, Tensor]:
        """Add up the gradients of all processes; returns those of the own slice, float32.

        Args:
            gathered: makes a slice of this process's gradients, to be overwritten.
            processes: all of them.
        """

    def by_name(self, vector: Tensor) -> dict[str, Tensor]:
        """Return each parameter's numbers of a vector like the master, to the first process."""

    def values(self) -> dict[str, Tensor]:
        """Return each parameter's float32 values, as `by_name` does."""

    def load(self, values: Mapping[str, Tensor]) -> None:
        """Take over values by name.

        Raises:
            KeyError: a name is missing.
        """

    def release(self) -> None:
        """Give the model its float32 values back: nothing will be learned any more."""
