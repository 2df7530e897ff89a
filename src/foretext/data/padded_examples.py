"""Rows of ids of any length as examples, filled up to the longest row of each batch.

Rows of a prefix and a text, of which one network reads the first and writes the second. A decoder
(GPT) sees what is left of each position. A prefix language model, and a model that fills masks
(UniLM, Dong et al. 2019, 2.3), see the whole prefix and, in the text, what is left of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch, Inputs, Needed, Visibility
from foretext.data.examples import Examples
from foretext.data.row_draws import PaddedDraws, RowDraws
from foretext.data.sparse_rows import SparseRows

__all__ = [
    "IGNORED",
    "PaddedExamples",
    "PrefixExamples",
    "Ragged",
    "length_batches",
    "token_batches",
]

WIDTHS = 8  # rows are filled up to a multiple of it: for each new shape a CPU's library compiles

# kernels, and keeps them, gigabytes of them where every width from 1 to 512 occurs
IGNORED = -100  # as a target: nothing is asked here; what cross-entropy leaves out by itself

# What a batch costs beside its positions, as a share of a full one's: with 6 layers of 384 in one
# thread as much as 50 positions, and twice that where its shape is new to oneDNN.
FIXED_RATE = 1 / 10

MASK_RATE = 0.7  # of the tokens of a text that are hidden at a time (Dong et al. 2019, 3.2)

WIDEST = 4  # times as long as the shortest row of a batch: attention has padding even there


class Ragged:
    """Rows of different lengths end to end.

    Args:
        rows: (T_i, ...) each; all of one type.
        spelling: (U, K) bytes of the words whose ids follow the vocabulary; None: rows have none.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[int] | NDArray[np.int64]],
        spelling: NDArray[np.uint8] | None = None,
    ) -> None:
        self.spelling = spelling
        self.lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.values = (
            np.concatenate([np.asarray(row, np.int64) for row in rows])
            if rows
            else np.empty(0, np.int64)
        )  # (sum T_i, ...)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, row: int) -> NDArray[np.int64]:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def filled(self, rows: NDArray[np.int64], width: int, value: int) -> NDArray[np.int64]:
        """Return some rows side by side, (B, width, ...), filled up with `value`.

        Args:
            rows: their numbers, (B,).
            width: of the result.
            value: that fills up shorter rows.
        """
        whole = np.full((len(rows), width, *self.values.shape[1:]), value, np.int64)
        for place, row in enumerate(rows):
            whole[place, : self.lengths[row]] = self[row]
        return whole


class PaddedExamples(Examples):
    """Examples that have one row of ids each, or a group of rows.

    Args:
        rows: ids, the rows of a group one after another.
        targets: by name; (N, ...) of examples, or `Ragged`, N rows, of positions.
        pad: id that fills rows up; any will do, as no position looks there.
        visibility: of the inputs.
        second_starts: (rows,) position at which a row's second text begins; None: rows have one.
        shared: 1 where a token stands in both texts of its row, else 0; None: that is not marked.
        segments: kind of each token, 0 for padding, where rows have one text; None: all are alike.
        characters: of the words of each row, (T, K), or None.
        group: rows of an example.
        needed: of the inputs.
        sources: ids that an encoder reads, a row for each of `rows`; None: there is no encoder.
        words: features of the text of each row; None: the head reads none.
        word_logits: (rows, C) what follows from them, where that is known already.
    """

    def __init__(
        self,
        rows: Ragged,
        targets: Mapping[str, NDArray[np.generic] | Ragged],
        *,
        pad: int,
        visibility: Visibility,
        second_starts: NDArray[np.int64] | None = None,
        shared: Ragged | None = None,
        segments: Ragged | None = None,
        characters: Ragged | None = None,
        group: int = 1,
        needed: Needed = "all",
        sources: Ragged | None = None,
        words: SparseRows | None = None,
        word_logits: NDArray[np.float32] | None = None,
    ) -> None:
        self.rows = rows
        self.targets = targets
        self.pad = pad
        self.visibility = visibility
        self.second_starts = second_starts
        self.shared = shared
        self.segments = segments
        self.characters = characters
        self.group = group
        self.needed = needed
        self.sources = sources
        self.words = words
        self.word_logits = word_logits
        lengths = rows.lengths if sources is None else rows.lengths + sources.lengths
        self._lengths = lengths.reshape(-1, group).max(1) if len(rows) else lengths
        self._spelling = None if rows.spelling is None else torch.from_numpy(rows.spelling)

    def __len__(self) -> int:
        return len(self.rows) // self.group

    def keys(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the numbers of the examples, (N,), shuffled."""
        return rng.permutation(len(self))

    def lengths(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the length of each example's longest row, with that of its source."""
        return self._lengths[keys]

    def batch(self, keys: NDArray[np.int64], rng: np.random.Generator | None = None) -> Batch:
        """Put some examples together; nothing is drawn.

        Args:
            keys: of the examples, as `keys` gives them.
            rng: is not used.
        """
        rows = (keys[:, None] * self.group + np.arange(self.group)).ravel()  # (B,)
        ids, real = self._side_by_side(self.rows, rows)  # (B, T)
        width = ids.shape[1]
        inputs = Inputs(
            torch.from_numpy(ids),
            _token_mask(real),
            self.visibility,
            segments=self._segments(rows, real),
            characters=self._characters(rows, width),
            spelling=self._spelling,
            needed=self.needed,
            source=self._source(rows),
            **self._words(rows),
        )
        by_example = frozenset(name for name, t in self.targets.items() if not _is_ragged(t))
        return Batch(inputs, self._targets(keys, width), self.group, by_example)

    def part(self, keys: NDArray[np.int64], rows: range, rng: np.random.Generator) -> Batch:
        """Put some examples of a batch together; the others are not looked at.

        Args:
            keys: of the whole batch.
            rows: of the batch that are wanted.
            rng: is not used.
        """
        return self.batch(keys[rows.start : rows.stop])

    def _side_by_side(
        self, ragged: Ragged, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return some rows, (B, T), and which of their positions are real."""
        lengths = ragged.lengths[rows]
        width = _width(lengths, int(ragged.lengths.max()))
        return ragged.filled(rows, width, self.pad), np.arange(width) < lengths[:, None]

    def _source(self, rows: NDArray[np.int64]) -> Inputs | None:
        """Return what an encoder reads, (B, S)."""
        if self.sources is None:
            return None
        ids, real = self._side_by_side(self.sources, rows)
        return Inputs(torch.from_numpy(ids), _token_mask(real))

    def _words(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """Return what is known of the words of some rows, by the names of `Inputs`."""
        found: dict[str, NDArray[Any]] = {}
        if self.words is not None:
            columns, values = self.words.filled(rows)
            found |= {"word_columns": columns, "word_values": values}
        if self.word_logits is not None:
            found["word_logits"] = self.word_logits[rows]
        return {name: torch.from_numpy(array) for name, array in found.items()}

    def _targets(self, keys: NDArray[np.int64], width: int) -> dict[str, torch.Tensor]:
        return {
            name: torch.from_numpy(
                target.filled(keys, width, IGNORED) if isinstance(target, Ragged) else target[keys]
            )
            for name, target in self.targets.items()
        }

    def _segments(self, rows: NDArray[np.int64], real: NDArray[np.bool_]) -> torch.Tensor | None:
        """The kind of each token: which text it is of, and whether it stands in both, (B, T)."""
        width = real.shape[1]
        if self.segments is not None:
            return torch.from_numpy(self.segments.filled(rows, width, 0))
        if self.second_starts is None:
            return None
        second = np.arange(width) >= self.second_starts[rows, None]
        kinds = (second & real).astype(np.int64)
        if self.shared is not None:
            kinds += 2 * self.shared.filled(rows, width, 0)
        return torch.from_numpy(kinds)

    def _characters(self, rows: NDArray[np.int64], width: int) -> torch.Tensor | None:
        if self.characters is None:
            return None
        return torch.from_numpy(self.characters.filled(rows, width, 0))


def _width(lengths: NDArray[np.int64], longest_of_all: int) -> int:
    """Return the positions of a batch: rows of one length need no filling."""
    longest = max(int(lengths.max()), 1)
    if lengths.min() == longest:
        return longest
    return max(min(-(-longest // WIDTHS) * WIDTHS, longest_of_all), 1)


def _token_mask(real: NDArray[np.bool_]) -> torch.Tensor | None:
    return None if real.all() else torch.from_numpy(real)


def _is_ragged(target: object) -> bool:
    return isinstance(target, Ragged)


def length_batches(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut rows, the longest first, into batches; return the indices of the rows of each.

    A batch is as wide as its longest row. Of all ways to cut the sorted rows the one is taken whose
    batches cost least together: positions with padding, and `FIXED_RATE` of a full batch for each.
    So few rows of different lengths make several batches, and many rows full ones.

    Args:
        lengths: of the rows.
        batch_tokens: positions of a batch, at most; a longer row is alone.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    stops = _stops([max(lengths[row], 1) for row in order], batch_tokens)
    batches, start = [], 0
    while start < len(order):
        batches.append(order[start : stops[start]])
        start = stops[start]
    return batches


def _stops(widths: Sequence[int], batch_tokens: int) -> list[int]:
    """Return where the batch that begins with each row ends; from the last row on backwards."""
    num, fixed = len(widths), int(batch_tokens * FIXED_RATE)
    costs, stops = [0] * (num + 1), [num] * num  # costs: of all rows from one on
    shorter = [num] * num  # the next row that is shorter: in between no batch but a full one ends
    for start in range(num - 1, -1, -1):
        width = widths[start]
        if start + 1 < num:
            shorter[start] = start + 1 if widths[start + 1] < width else shorter[start + 1]
        full = min(num, start + max(1, batch_tokens // width))
        stop, least = full, (full - start) * width + costs[full]
        place = shorter[start]
        while place < full:
            cost = (place - start) * width + costs[place]
            if cost < least:
                stop, least = place, cost
            place = shorter[place]
        stops[start], costs[start] = stop, least + fixed
    return stops


class PrefixExamples(PaddedExamples):
    """Rows whose texts are predicted token by token, or from masks that hide some of them.

    Args:
        rows: ids, the prefix first.
        next_tokens: what follows each position, `IGNORED` in the prefix; of masks, what stands
            there.
        prefix_lengths: (N,) positions of each prefix.
        pad: id that fills rows up.
        sees_prefix: whether positions see the whole prefix; else all see what is left of them.
        segments: of prefix and text; None: the backbone reads none.
        mask: id that hides tokens; None: the next token is predicted.
    """

    def __init__(
        self,
        rows: Ragged,
        next_tokens: Ragged,
        prefix_lengths: NDArray[np.int64],
        *,
        pad: int,
        sees_prefix: bool,
        segments: tuple[int, int] | None = None,
        mask: int | None = None,
    ) -> None:
        visibility: Visibility = "matrix" if sees_prefix else "causal"
        super().__init__(rows, {"next": next_tokens}, pad=pad, visibility=visibility)
        self.prefix_lengths = prefix_lengths
        self.of_parts = segments
        self.mask = mask
        self.drawing = 1 if mask is None else 2

    def batch(self, keys: NDArray[np.int64], rng: np.random.Generator | None = None) -> Batch:
        """Put some examples together; `rng` draws which tokens are hidden, if any are."""
        batch = self._read(keys)
        if self.mask is None:
            return batch
        assert rng is not None, "tokens are hidden at random"
        return self._hidden(batch, RowDraws(rng, range(len(keys)), len(keys)))

    def part(self, keys: NDArray[np.int64], rows: range, rng: np.random.Generator) -> Batch:
        """Put some examples of a batch together; the others are not looked at."""
        batch = self._read(keys[rows.start : rows.stop])
        return batch if self.mask is None else self._hidden(batch, RowDraws(rng, rows, len(keys)))

    def _read(self, keys: NDArray[np.int64]) -> Batch:
        batch = super().batch(keys)
        in_prefix = self._in_prefix(keys, batch.inputs.ids.shape[1])  # (B, T)
        inputs = replace(
            batch.inputs,
            visible=_visible(in_prefix) if self.visibility == "matrix" else None,
            segments=self._of_parts(in_prefix),
        )
        return replace(batch, inputs=inputs)

    def _in_prefix(self, keys: NDArray[np.int64], width: int) -> torch.Tensor:
        """Return which positions are of the prefix, (B, T)."""
        return torch.from_numpy(np.arange(width) < self.prefix_lengths[keys, None])

    def _of_parts(self, in_prefix: torch.Tensor) -> torch.Tensor | None:
        if self.of_parts is None:
            return None
        first, second = self.of_parts
        return torch.where(in_prefix, first, second)

    def _hidden(self, batch: Batch, rows: RowDraws) -> Batch:
        """Hide tokens of the texts, one a row at least; only these are predicted."""
        right = batch.targets["next"]
        longest = int(self.rows.lengths.max())
        draws = torch.from_numpy(PaddedDraws(rows, longest).random(tuple(right.shape)))
        draws[right == IGNORED] = 2.0
        hidden = draws < MASK_RATE
        hidden.scatter_(1, draws.argmin(1, keepdim=True), True)
        assert self.mask is not None
        inputs: Inputs = replace(batch.inputs, ids=batch.inputs.ids.masked_fill(hidden, self.mask))
        return replace(batch, inputs=inputs, targets={"next": right.masked_fill(~hidden, IGNORED)})


def _visible(in_prefix: torch.Tensor) -> torch.Tensor:
    """Return which position sees which, (B, T, T): the prefix, and what is left of it."""
    T = in_prefix.shape[1]
    return in_prefix[:, None, :] | torch.ones(T, T, dtype=torch.bool).tril()


def token_batches(
    lengths: Sequence[int], batch_tokens: int, num_threads: int = 1
) -> list[list[int]]:
    """Cut rows, the longest first, into batches; return the indices of the rows of each.

    Batches have about as many tokens each, so they take about as long. Where each thread has
    several, all threads have as many: none waits for others at the end. But rows that are less than
    a quarter as long as the first one of a batch begin another one.

    Args:
        lengths: of the rows.
        batch_tokens: of a batch, at most about.
        num_threads: that compute a batch each at the same time.
    """
    sizes = [max(length, 1) for length in lengths]
    total = sum(sizes)
    num = -(-total // batch_tokens)
    if num > num_threads:
        num = -(-num // num_threads) * num_threads
    batches, last, before = list[list[int]](), -1, 0
    for row in sorted(range(len(sizes)), key=lambda row: -sizes[row]):
        place = int((before + sizes[row] / 2) * num / total)
        if place != last or sizes[batches[-1][0]] > WIDEST * sizes[row]:
            batches.append([])
            last = place
        batches[-1].append(row)
        before += sizes[row]
    return batches
