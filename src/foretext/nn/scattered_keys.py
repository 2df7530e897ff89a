"""Keys and values of many rows, which stay where they were written when the rows change places.

The hypotheses of a beam search continue others at every step. Moving what was remembered of them
would take longer than looking at it; here a table says where each of it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from foretext.nn.step_attention import step_attention

__all__ = ["ScatteredKeys"]


class ScatteredKeys:
    """Keys and values of every layer, (rows, room, H, d) each, and a table of rows (R, room).

    Args:
        keys: of each layer, (R, H, S, d).
        values: of each layer, (R, H, S, d).
        room: positions to make room for at first.
    """

    def __init__(self, keys: Sequence[Tensor], values: Sequence[Tensor], room: int) -> None:
        self._keys = [_by_position(layer, room) for layer in keys]
        self._values = [_by_position(layer, room) for layer in values]
        self._here = torch.arange(len(keys[0]))  # (R,)
        self._origins = self._here[:, None].repeat(1, room)  # (R, room)

    def keep_rows(self, rows: Tensor) -> None:
        """Continue these rows, (R,), in that order; a row may come more than once."""
        self._origins = self._origins.index_select(0, rows)
        self._here = torch.arange(len(rows))
        if len(rows) > len(self._keys[0]):
            self._keys = [_resized(layer, len(rows), layer.shape[1]) for layer in self._keys]
            self._values = [_resized(layer, len(rows), layer.shape[1]) for layer in self._values]

    def attend(
        self,
        layer: int,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        length: int,
        bias: Tensor | None,
        scale: float | None,
    ) -> Tensor:
        """Add a position, (R, H, 1, d), to the `length` that there are, and attend to all."""
        self._write(layer, key, value, length)
        keys, values = self._keys[layer], self._values[layer]
        return step_attention(query, keys, values, self._origins, length + 1, bias, scale)

    def extend(self, layer: int, key: Tensor, value: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """Add positions, (R, H, T, d), and return those of all positions so far, row by row."""
        end = length + key.shape[2]
        self._write(layer, key, value, length)
        origins, places = self._origins[:, :end], torch.arange(end)
        kept = (every[layer][origins, places] for every in (self._keys, self._values))
        keys, values = (every.transpose(1, 2) for every in kept)  # (R, H, S, d)
        return keys, values

    def _write(self, layer: int, key: Tensor, value: Tensor, length: int) -> None:
        end, R = length + key.shape[2], len(self._here)
        if end > self._origins.shape[1]:
            self._make_room(2 * end)
        self._keys[layer][:R, length:end] = key.transpose(1, 2)
        self._values[layer][:R, length:end] = value.transpose(1, 2)
        self._origins[:, length:end] = self._here[:, None]

    def _make_room(self, room: int) -> None:
        self._keys = [_resized(layer, len(layer), room) for layer in self._keys]
        self._values = [_resized(layer, len(layer), room) for layer in self._values]
        behind = self._origins.new_zeros(len(self._origins), room - self._origins.shape[1])
        self._origins = torch.cat((self._origins, behind), 1)


def _by_position(layer: Tensor, room: int) -> Tensor:
    """Return (R, H, S, d) as (R, room, H, d)."""
    positions = layer.transpose(1, 2)
    return _resized(positions, len(positions), room)


def _resized(layer: Tensor, num_rows: int, room: int) -> Tensor:
    """Return (R, S, H, d) in the room of so many rows and positions."""
    R, S, H, d = layer.shape
    resized = layer.new_empty(num_rows, room, H, d)
    resized[:R, :S] = layer
    return resized
