"""One parameter within a vector of many, or what of it is in a slice of that vector."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

__all__ = ["Segment"]


class Segment(NamedTuple):
    """Where one parameter lies in the vectors, or what is in a slice of both."""

    name: str
    parameter: nn.Parameter
    offset: int
    size: int
    decays: bool  # matrices do, biases and norms do not
    rate: float = 1.0  # its share of the learning rate
    first: int = 0  # of the parameter's numbers

    @property
    def place(self) -> slice:
        """Its numbers in a vector."""
        return slice(self.offset, self.offset + self.size)

    def view(self, vector: Tensor) -> Tensor:
        """Return the whole parameter's numbers of a vector, in its shape."""
        return vector[self.place].view(self.parameter.shape)

    def cut(self, place: slice) -> Segment | None:
        """Return what of it lies in a slice of the vectors, with its offset in that slice."""
        start, stop = max(self.offset, place.start), min(self.offset + self.size, place.stop)
        if start >= stop:
            return None
        first = self.first + start - self.offset
        return self._replace(offset=start - place.start, size=stop - start, first=first)

    def fill(self, vector: Tensor, values: Tensor) -> None:
        """Copy its numbers from the values of the whole parameter to a vector."""
        vector[self.place].copy_(values.reshape(-1)[self.first : self.first + self.size])
