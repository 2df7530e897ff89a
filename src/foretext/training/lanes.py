"""State that the rows of a batch hand on to the batch that continues them.

A recurrent network can read a text that is much longer than a row: row b of each batch goes on
where row b of the batch before ended (`Batch.continues`), and begins with the state that this row
ended in. Gradients stop between batches (truncated backpropagation through time, Williams and Peng
1990).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from foretext.data.batch import Batch

__all__ = ["Lanes"]

PREFIX = "carried."  # of the names of arrays
BFLOAT16 = "bfloat16"  # which numpy does not have


class Lanes:
    """The state of each row of the newest batch; none where the backbone leaves none."""

    def __init__(self) -> None:
        self.states: tuple[Tensor, ...] = ()  # (B, ...) each
        self._parts: list[tuple[Tensor, ...]] = []  # of the batch that is computed now

    def begin(self, batch: Batch) -> Batch:
        """Return a batch with the states that its rows begin with."""
        self._parts = []
        if not (batch.continues and self.states):
            return batch
        B = len(batch.inputs.ids)
        assert len(self.states[0]) >= B, f"{B} rows continue {len(self.states[0])}"
        carried = tuple(state[:B] for state in self.states)
        return replace(batch, inputs=replace(batch.inputs, carried=carried))

    def add(self, carried: tuple[Tensor, ...]) -> None:
        """Take the states that the next rows of the batch ended in."""
        self._parts.append(carried)

    def end(self) -> None:
        """Keep the states for the next batch: all rows have been computed."""
        self.states = tuple(torch.cat(rows) for rows in zip(*self._parts, strict=True))
        self._parts = []

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the states for a checkpoint, exactly."""
        named = {}
        for number, state in enumerate(self.states):
            kept = state.view(torch.int16) if state.dtype == torch.bfloat16 else state
            kind = str(state.dtype).removeprefix("torch.")
            named[f"{PREFIX}{number}.{kind}"] = kept.cpu().numpy()
        return named

    def load(self, arrays: Mapping[str, np.ndarray], device: torch.device) -> None:
        """Go on from what `arrays` gave; other names are ignored."""
        names = [name for name in arrays if name.startswith(PREFIX)]
        names.sort(key=lambda name: int(name.split(".")[1]))
        states = []
        for name in names:
            state = torch.from_numpy(arrays[name])
            states.append(state.view(torch.bfloat16) if name.endswith(BFLOAT16) else state)
        self.states = tuple(state.to(device) for state in states)
