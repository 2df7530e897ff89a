"""The batch of every step, as a pure function of a seed and the step's number.

So a resumed training continues with the next batch, and reads nothing twice. Of several processes
each makes its own rows of the batch.

State that the rows of a batch hand on to the batch that continues them. A recurrent network can
read a text that is much longer than a row: row b of each batch goes on where row b of the batch
before ended (`Batch.continues`), and begins with the state that this row ended in. Gradients stop
between batches (truncated backpropagation through time, Williams and Peng 1990).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from foretext.base.errors import CorpusError, SettingError
from foretext.base.runtime import Threads
from foretext.data.batch import Batch
from foretext.data.examples import Examples

__all__ = ["Batches", "Lanes", "Part"]

BUCKET_BATCHES = 64  # batches whose examples are sorted by length together
PREPARED = 4  # batches made ahead in the background
ORDER, CONTENT = 0, 1  # what a generator is for

PREFIX = "carried."  # of the names of arrays
BFLOAT16 = "bfloat16"  # which numpy does not have


class Part(NamedTuple):
    """What a process has of the batch of a step."""

    # Its own examples; the first one of all where it has none, so that it knows what there would be
    batch: Batch
    rows: range  # of the whole batch, which of its examples are this process's
    num_examples: int  # of the whole batch
    num_parts: int = 1  # into how many short rows each row is cut where it is computed


class Batches:
    """Examples in batches; those of one batch are about as long as each other.

    Args:
        examples: what there is.
        batch_examples: examples of a batch; the last one of an epoch may have fewer.
        seed: of order and content.
        continues: whether each row of a batch goes on where the same row of the batch before ended;
            the keys of the examples are then in the order of the text.
        batch_tokens: of a batch, its longest example times their number, in place of
            `batch_examples`; a longer example makes a batch of its own. All examples are then
            sorted by length, so that an epoch has as many batches as any other.
        share_of: which of so many examples are this process's; all of them, where none is given.

    Attributes:
        first: the keys of each batch of the first epoch.

    Raises:
        SettingError: `batch_tokens` is given, and all examples are equally long.
    """

    def __init__(
        self,
        examples: Examples,
        batch_examples: int,
        seed: int,
        *,
        continues: bool = False,
        batch_tokens: int | None = None,
        share_of: Callable[[int], range] = range,
    ) -> None:
        self.examples = examples
        self.share_of = share_of
        self.size = batch_examples
        self.tokens = batch_tokens
        self.seed = seed
        self.continues = continues
        self._epoch = 0
        self.first = self._order = self._ordered(0)

    @property
    def per_epoch(self) -> int:
        """Batches of one epoch."""
        return len(self._order)

    def batch(self, step: int) -> Batch:
        """Make the whole batch of a step."""
        keys, continues = self._keys(step)
        batch = self.examples.batch(keys, self._rng(CONTENT, step))
        return replace(batch, keys=keys, continues=continues)

    def part(self, step: int) -> Part:
        """Make what this process has of the batch of a step."""
        keys, continues = self._keys(step)
        own = self.share_of(len(keys))
        made = own or range(1)
        batch = self.examples.part(keys, made, self._rng(CONTENT, step))
        batch = replace(batch, keys=keys[made.start : made.stop], continues=continues)
        return Part(batch, own, len(keys))

    def ahead(self, step: int) -> Iterator[Part]:
        """Yield the parts of `step` and all that follow, made in the background."""
        with Threads(1, thread_name_prefix="batches") as pool:
            coming = deque(pool.submit(self.part, step + ahead) for ahead in range(PREPARED))
            try:
                while True:
                    part = coming.popleft().result()
                    coming.append(pool.submit(self.part, step + PREPARED))
                    step += 1
                    yield part
            finally:
                for future in coming:
                    future.cancel()

    def _keys(self, step: int) -> tuple[np.ndarray, bool]:
        """Return the keys of a step's batch, and whether it goes on where the one before ended.

        Raises:
            CorpusError: there is no example at all.
        """
        if not self.first:
            raise CorpusError(
                "The text is too short for these settings: no example can be made of it; give more "
                "text, or take shorter rows."
            )
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._ordered(epoch)
        return self._order[place], self.continues and place > 0

    def _rng(self, purpose: int, number: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, purpose, number))

    def _ordered(self, epoch: int) -> list[np.ndarray]:
        """Keys of each batch of an epoch."""
        rng = self._rng(ORDER, epoch)
        keys = self.examples.keys(rng)
        if self.continues:
            return _lanes(keys, self.size)
        lengths = self.examples.lengths(keys)
        if self.tokens is not None:
            batches = _filled(keys, lengths, self.tokens)
            return [batches[place] for place in rng.permutation(len(batches))]
        if lengths is None:
            return _cut(keys, self.size)
        batches = []
        for start in range(0, len(keys), BUCKET_BATCHES * self.size):
            bucket = slice(start, start + BUCKET_BATCHES * self.size)
            by_length = keys[bucket][np.argsort(lengths[bucket], kind="stable")]
            batches += _cut(by_length, self.size)
        return [batches[place] for place in rng.permutation(len(batches))]


def _lanes(keys: np.ndarray, size: int) -> list[np.ndarray]:
    """Cut a text into `size` parts of equal length, side by side; batch i has row i of each.

    The last rows of the text, fewer than there are lanes, are left out.
    """
    num_lanes = max(min(size, len(keys)), 1)
    steps = len(keys) // num_lanes
    return [*keys[: num_lanes * steps].reshape(num_lanes, steps).T]


def _filled(keys: np.ndarray, lengths: np.ndarray | None, tokens: int) -> list[np.ndarray]:
    """Put examples of like length together until they fill a batch; equal ones in their order."""
    if lengths is None:
        raise SettingError(
            "[training] batch_tokens is for examples of different lengths, and these rows are "
            "equally long; set batch_examples."
        )
    order = np.argsort(lengths, kind="stable")
    starts = [0]
    for place, length in enumerate(lengths[order].tolist()):
        if place > starts[-1] and (place - starts[-1] + 1) * length > tokens:
            starts.append(place)
    return np.split(keys[order], starts[1:])


def _cut(keys: np.ndarray, size: int) -> list[np.ndarray]:
    return [keys[start : start + size] for start in range(0, len(keys), size)]


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
