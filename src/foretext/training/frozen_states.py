"""The states of a backbone that stays as it is: computed once for each row, not in each epoch.

A row's states are those of its batch in the first epoch: rounding depends on which rows are
computed together. So a row has the same states in every epoch, and a training that was resumed
computes them again to the bit.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Batch
from foretext.training.batches import Batches
from foretext.training.model import Model

__all__ = ["FrozenStates"]


class FrozenStates:
    """Keeps the states of a training's rows, where its backbone computes the same in each epoch.

    Args:
        model: with those parameters frozen that are to be.
        batches: the states of those of the first epoch are kept, as far as there is room.
        room: bytes; the states of other rows are computed whenever they are read.
    """

    def __init__(self, model: Model, batches: Batches, room: float) -> None:
        self.model, self.examples, self.room = model, batches.examples, room
        fits = room > 0 and model.objective.repeats_inputs and _is_fixed(model.backbone)
        self._batches = batches.first if fits else []  # the keys of each
        self._kept: dict[int, Tensor] = {}  # (L, rows, T, D), by the number of a batch

    @property
    def is_complete(self) -> bool:
        """Whether no state has to be computed any more."""
        return 0 < len(self._batches) == len(self._kept)

    def of(self, batch: Batch) -> States | None:
        """Return the states (B, T, D) of a batch; None: the backbone reads its inputs."""
        if not self._batches or batch.keys is None:
            return None
        places = [self._places[key] for key in batch.keys.tolist()]
        for number in {number for number, _ in places if number < self._num_kept}:
            if number not in self._kept:
                self._kept[number] = self._read(self._batches[number])
        others = [row for row, (number, _) in enumerate(places) if number not in self._kept]
        found = {row: self._kept[n][:, p] for row, (n, p) in enumerate(places) if n in self._kept}
        if others:
            found |= zip(others, self._read(batch.keys[others]).unbind(1), strict=True)
        return self._together([found[row] for row in range(len(places))], batch)

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        """The batch of the first epoch that has an example, and its place there."""
        return {
            key: (number, place)
            for number, keys in enumerate(self._batches)
            for place, key in enumerate(keys.tolist())
        }

    @cached_property
    def _num_kept(self) -> int:
        """How many batches there is room for; the first one says how large a state is."""
        layers = self._read(self._batches[0])
        position = layers[:, 0, ..., 0, :].numel() * layers.element_size()
        sizes = (len(keys) * self._length(keys) * position for keys in self._batches)
        most = int(np.searchsorted(list(accumulate(sizes)), self.room, side="right"))
        if most:
            self._kept[0] = layers
        return most

    def _length(self, keys: np.ndarray) -> int:
        lengths = self.examples.lengths(keys)
        assert lengths is not None, "examples that repeat their inputs have lengths"
        return int(lengths.max())

    def _read(self, keys: np.ndarray) -> Tensor:
        """Compute the states of some examples, (L, examples, group, T, D)."""
        nothing_is_drawn = np.random.default_rng(0)
        batch = self.examples.batch(keys, nothing_is_drawn).to(self.model.device)
        states = self.model.backbone(batch.inputs, keep_layers=self.model.objective.needs_layers)
        layers = (
            states.by_layer[-self.model.backbone.num_mixed :] if states.layers else (states.last,)
        )
        width = self._length(keys)
        whole = torch.stack([layer[:, :width] for layer in layers])  # (L, rows, T, D)
        return whole.view(len(layers), len(keys), batch.group, width, -1)

    def _together(self, rows: list[Tensor], batch: Batch) -> States:
        """Return examples (L, group, T_i, D) side by side; padding is 0."""
        T = batch.inputs.ids.shape[1]
        L, group, _, D = rows[0].shape
        whole = rows[0].new_zeros(L, len(rows), group, T, D)
        for place, row in enumerate(rows):
            width = min(T, row.shape[2])
            whole[:, place, :, :width] = row[:, :, :width]
        layers = whole.flatten(1, 2).unbind(0)
        return States(layers[-1], layers if self.model.objective.needs_layers else ())


def _is_fixed(backbone: Backbone) -> bool:
    """Whether it learns nothing and draws nothing."""
    drops = any(module.p > 0 for module in backbone.modules() if isinstance(module, nn.Dropout))
    return not drops and not any(p.requires_grad for p in backbone.parameters())
