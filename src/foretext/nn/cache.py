"""What a backbone remembers of the positions that it has read, so that each is computed once.

Keys and values of many rows, which stay where they were written when the rows change places. The
hypotheses of a beam search continue others at every step. Moving what was remembered of them
would take longer than looking at it; here a table says where each of it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.step_attention import can_step, step_attention

__all__ = ["Cache", "CrossCache", "KeyValueCache", "RecurrentCache", "ScatteredKeys"]

GROWTH = 64  # positions that room is made for at a time, at least
FEW_ROWS = 8  # what is remembered of so many is moved in no time


class Cache(Protocol):
    """What was read of a batch of rows, all equally long. A fresh one has read nothing."""

    length: int  # positions that were read

    def keep_rows(self, rows: Tensor) -> None:
        """Keep rows (K,) of the batch, in that order; a row may come more than once."""

    def forget(self, num_positions: int) -> None:
        """Drop the newest positions, as if they had not been read."""


class KeyValueCache:
    """Keys and values of every layer, (B, H, S, D / H) each, that grow by doubling.

    Those of a source, if there is one, stand in `source`. Once many rows have changed places, keys
    and values stand in `scattered`, where they are not moved again.
    """

    def __init__(self) -> None:
        self.length = 0
        self.source = CrossCache()
        self.scattered: ScatteredKeys | None = None
        self._keys: list[Tensor] = []
        self._values: list[Tensor] = []

    def extend(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add (B, H, T, D / H) of new positions; return those of all positions so far."""
        if self.scattered is not None:
            return self.scattered.extend(layer, keys, values, self.length)
        end = self.length + keys.shape[2]
        if layer == len(self._keys):
            self._keys.append(_room(keys, end))
            self._values.append(_room(values, end))
        elif self._keys[layer].shape[2] < end:
            self._keys[layer] = _grown(self._keys[layer], self.length, end)
            self._values[layer] = _grown(self._values[layer], self.length, end)
        self._keys[layer][:, :, self.length : end] = keys
        self._values[layer][:, :, self.length : end] = values
        return self._keys[layer][:, :, :end], self._values[layer][:, :, :end]

    def advance(self, num_positions: int) -> None:
        """Count the positions that every layer has now added."""
        self.length += num_positions

    def keep_rows(self, rows: Tensor) -> None:
        """Keep rows (K,) of the batch, in that order; a row may come more than once."""
        self.source.keep_rows(rows)
        if self.scattered is not None:
            self.scattered.keep_rows(rows)
            return
        self._keys = [keys.index_select(0, rows) for keys in self._keys]
        self._values = [values.index_select(0, rows) for values in self._values]
        if len(rows) > FEW_ROWS and self._keys and can_step(self._keys[0][:, :, :1]):
            keys, values = (
                [layer[:, :, : self.length] for layer in layers]
                for layers in (self._keys, self._values)
            )
            self.scattered = ScatteredKeys(keys, values, room=self._keys[0].shape[2])
            self._keys, self._values = [], []

    def forget(self, num_positions: int) -> None:
        """Drop the newest positions, as if they had not been read."""
        assert num_positions <= self.length, f"{num_positions} of {self.length} positions"
        self.length -= num_positions


class CrossCache:
    """Keys and values of N sources, (N, S, ...) a layer: computed at the first question.

    Rows of a batch that follow each other can share a source, as the hypotheses of a beam search
    do: its keys are then there once. It is no `Cache` by itself, as nothing is added to it.
    """

    def __init__(self) -> None:
        self.mask: AttentionMask | None = None  # of the sources' tokens; None: nothing was read
        self.rows_per_source = 1  # of the batch
        self._layers: dict[int, tuple[Tensor, Tensor]] = {}

    def of(self, layer: int, compute: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Return keys and values of a layer; `compute` makes them if there are none yet."""
        if layer not in self._layers:
            self._layers[layer] = compute()
        return self._layers[layer]

    def keep_rows(self, rows: Tensor) -> None:
        """Keep rows (K,) of the batch, in that order; a row may come more than once.

        A source is copied only where not all sources have as many rows.
        """
        wanted = rows // self.rows_per_source  # source of each row
        sources, counts = torch.unique_consecutive(wanted, return_counts=True)
        self.rows_per_source = int(counts[0]) if len(set(counts.tolist())) == 1 else 1
        self._keep_sources(sources if self.rows_per_source > 1 else wanted)

    def _keep_sources(self, sources: Tensor) -> None:
        """Keep these sources, in that order; nothing is copied where all of them stay."""
        num_sources = len(next(iter(self._layers.values()))[0]) if self._layers else 0
        if torch.equal(sources, torch.arange(num_sources, device=sources.device)):
            return
        self._layers = {
            layer: (keys.index_select(0, sources), values.index_select(0, sources))
            for layer, (keys, values) in self._layers.items()
        }
        if self.mask is not None and self.mask.visible is not None:
            self.mask = AttentionMask(self.mask.visible.index_select(0, sources))


class RecurrentCache:
    """The state that a recurrent network ends in; a network without a state keeps none.

    States and keys of a source, if there is one, stand in `source`.
    """

    def __init__(self) -> None:
        self.length = 0
        self.source = CrossCache()
        self.states: tuple[Tensor, ...] = ()  # (B, D) each
        self._before: tuple[int, tuple[Tensor, ...]] = (0, ())  # length and states, one read ago

    def advance(self, num_positions: int, states: tuple[Tensor, ...]) -> None:
        """Take the states after so many further positions.

        Args:
            num_positions: that were read.
            states: after them.
        """
        self._before = self.length, self.states
        self.length, self.states = self.length + num_positions, states

    def keep_rows(self, rows: Tensor) -> None:
        """Keep rows (K,) of the batch, in that order; a row may come more than once."""
        self.source.keep_rows(rows)
        length, states = self._before
        self._before = length, tuple(state.index_select(0, rows) for state in states)
        self.states = tuple(state.index_select(0, rows) for state in self.states)

    def forget(self, num_positions: int) -> None:
        """Drop the positions of the newest read, all of them: older states are not kept."""
        length, states = self._before
        if not self.states:
            self.length -= num_positions
            return
        assert num_positions in (0, self.length - length), f"{num_positions} positions of one read"
        if num_positions:
            self.length, self.states = length, states


def _room(new: Tensor, length: int) -> Tensor:
    B, H, _, D = new.shape
    return new.new_empty(B, H, max(GROWTH, length), D)


def _grown(old: Tensor, used: int, length: int) -> Tensor:
    B, H, S, D = old.shape
    grown = old.new_empty(B, H, max(2 * S, length), D)
    grown[:, :, :used] = old[:, :, :used]
    return grown


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
