"""When a training ends, and how its learning rate falls until then.

A text cut into slices of whole sentences: the unit that is dealt to workers and resumed at. A
large text has more sentences than there is room for two numbers of each. What is not in the files
of the text is then written to a file that is mapped; training reads it from its beginning to its
end, as it does the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from pydantic import Field

from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.parsing import temporary_array
from foretext.base.runtime import usable_cores
from foretext.data.token_file import TokenFile
from foretext.messages import message

__all__ = [
    "CoolDown",
    "DescentConfig",
    "Learned",
    "LinearDecay",
    "ProcessesConfig",
    "SliceLearner",
    "Slices",
    "VectorsConfig",
    "deal",
    "step_seed",
]


RECORDS = 50  # lines of metrics in a training, about
BUDGET_EPOCHS = 5  # what a budget is taken for when records are spread

SLICE_TOKENS = 1 << 16  # some twenty milliseconds of work
FEWEST_SLICES = 64  # in a small text, so that the loss has a curve and two workers have work
SMALLEST_SLICE = 256
DEALT_PARTS = 1024
AT_ONCE = 1 << 18  # sentences whose numbers are computed together
MOST_IN_MEMORY = 1 << 21  # numbers of an array; a longer one is in a file

Room = Callable[[int], np.ndarray]  # from a length to an array of int64


class VectorsConfig(Config):
    """How long to train: settings of everything that learns from whole words."""

    kind: ClassVar[str] = "word vectors"  # what is learned, a name of `foretext.kinds`

    epochs: int = Field(5, ge=1)
    """Passes over the text."""
    budget_seconds: float | None = Field(None, gt=0)
    """Wall-clock time of the training, in place of epochs."""
    workers: int = Field(default_factory=usable_cores, ge=1)
    """Threads; by default the usable cores."""
    seed: int = Field(1, ge=0, lt=2**31)
    """Of all random draws."""
    checkpoint_seconds: float = Field(60.0, ge=0)
    """Time between two checkpoints."""

    def remedy(self, counts: np.ndarray, alpha: float, epochs: float) -> str:
        """Return what to set where words are still near each other after a training.

        Args:
            counts: (V,) of the words that have vectors.
            alpha: learning rate at the start.
            epochs: that were learned, as far as a time limit let them.
        """
        return message("findings.vectors.general")


class ProcessesConfig(VectorsConfig):
    """A further setting of what several processes can learn."""

    processes: int = Field(1, ge=1, le=1024)
    """Processes that learn together; they share the threads."""

    @property
    def threads(self) -> int:
        """Those of each process."""
        return max(self.workers // self.processes, 1)


class DescentConfig(VectorsConfig):
    """Further settings of a descent with a falling learning rate."""

    rate_name: ClassVar[str] = "alpha"  # the setting of the learning rate at the start
    never_above: ClassVar[Mapping[str, str]] = {"min_alpha": "alpha"}

    min_alpha: float = Field(1e-4, ge=1e-8)
    """Learning rate at the end."""
    patience: int | None = Field(None, ge=1)
    """Early stopping: epochs without a lower held-out loss."""

    @property
    def threads(self) -> int:
        """How many of them will run."""
        return self.workers

    @property
    def ends_at_best(self) -> bool:
        """Whether the training ends with the weights of the lowest held-out loss."""
        return self.patience is not None or self.budget_seconds is not None


class CoolDown(NamedTuple):
    """The last epochs of a training that went past its best: the learning rate falls to its end."""

    first: int  # step
    last: int  # step after it
    rate: float  # of learning, at the first step
    began: float  # seconds of the training


class LinearDecay:
    """A learning rate that falls in a line, over words or, under a budget, over seconds.

    A training by words can have a limit of seconds too. What is done is then the larger share of
    the two, so that the rate is at its end whichever of them ends the training.

    Args:
        config: the user's settings.
        alpha: learning rate at the start.
        slices: of the text.
        limit: seconds that it may take at most; None: as many as the settings say.
    """

    def __init__(
        self, config: DescentConfig, alpha: float, slices: Slices, limit: float | None = None
    ) -> None:
        if config.min_alpha > alpha:  # where nobody chose it
            raise SettingError(
                f"[vectors] min_alpha = {config.min_alpha} is more than the learning rate at the "
                f"start, {alpha:g}; lower min_alpha or set {config.rate_name}."
            )
        self.alpha = alpha
        self.min_alpha = config.min_alpha
        self.budget = config.budget_seconds
        self.slices = slices
        epochs = config.epochs if self.budget is None else BUDGET_EPOCHS
        self.num_steps = epochs * len(slices)
        self.record_every = max(self.num_steps // RECORDS, 1)
        self.unit = "words" if self.budget is None else "seconds"
        self._words = epochs * slices.num_tokens
        limits = [seconds for seconds in (self.budget, limit) if seconds is not None]
        self.limit = min(limits, default=None)
        self.cool_down: CoolDown | None = None  # from a step on, in place of the line

    @property
    def total(self) -> float:
        """Words or seconds of the whole training."""
        return float(self._words) if self.budget is None else self.limit or self.budget

    def rates(self, step: int, seconds: float) -> tuple[float, float]:
        """Learning rates at the start and the end of a step that begins now."""
        return self._rate(self._share(step, seconds)), self._rate(self._share(step + 1, seconds))

    def position(self, step: int) -> int:
        """Words of the text that come before a step, over all epochs."""
        epoch, slice_index = divmod(step, len(self.slices))
        return epoch * self.slices.num_tokens + self.slices.tokens_before(slice_index)

    def epoch(self, step: int) -> float:
        """How many times the text was walked before a step."""
        return self.position(step) / self.slices.num_tokens

    def finished(self, step: int, seconds: float) -> bool:
        """Whether nothing is left to do."""
        if self.cool_down is not None and step >= self.cool_down.last:
            return True
        return self.is_over(seconds) or (self.budget is None and step >= self.num_steps)

    def is_over(self, seconds: float) -> bool:
        """Whether the time is over, where it is limited."""
        return self.limit is not None and seconds >= self.limit

    def next_stop(self, step: int) -> int:
        """The first later step at which a record is due or an epoch ends."""
        every = (self.record_every, len(self.slices))
        return min((step // period + 1) * period for period in every)

    def _share(self, step: int, seconds: float) -> float:
        """How much of the training is done, from 0; the larger one of words and seconds."""
        if (cool_down := self.cool_down) is not None:
            share = (step - cool_down.first) / (cool_down.last - cool_down.first)
            if self.limit is None:
                return share
            left = max(self.limit - cool_down.began, 1e-3)
            return max(share, (seconds - cool_down.began) / left)
        of_words = 0.0 if self.budget is not None else self.position(step) / self._words
        return of_words if self.limit is None else max(of_words, seconds / self.limit)

    def _rate(self, share: float) -> float:
        alpha = self.alpha if self.cool_down is None else self.cool_down.rate
        return alpha + (self.min_alpha - alpha) * min(share, 1.0)


class Learned(NamedTuple):
    """What learning one slice gave."""

    loss: float  # sum over the predictions
    predictions: int
    words: int

    @classmethod
    def summed(cls, parts: Iterable[Sequence[float]]) -> Self:
        """Return what all parts gave, added in their order."""
        loss, predictions, words = (sum(column) for column in zip(*parts, strict=True))
        return cls(loss, int(predictions), int(words))


@dataclass(frozen=True)
class Slices:
    """The sentences of a token file, none longer than the kernels take, and where slices begin."""

    sentence_starts: np.ndarray  # (S + 1,) int64, counted in the order of learning
    firsts: np.ndarray  # (slices + 1,) int64, indices into sentence_starts
    places: np.ndarray  # (S,) int64, where each sentence begins in the text

    @classmethod
    def of(cls, tokens: TokenFile, longest: int) -> Slices:
        """Cut sentences over `longest` tokens, then cut the text at sentence starts."""
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest, partial(_room, tokens))
        return cls._cut(starts, starts[:-1])

    @classmethod
    def dealt(cls, tokens: TokenFile, longest: int, num_parts: int = DEALT_PARTS) -> Slices:
        """Take a sentence from each of many parts of the text in turn, then cut as `of` does.

        What stands together in a text is about the same thing, and learned in one go it pulls its
        words to and fro. Each part is still read from its beginning to its end, so that a text
        larger than the memory streams from disk.
        """
        room = partial(_room, tokens)
        starts = cut_sentences(np.asarray(tokens.sentence_starts), longest, room)
        size = len(starts) - 1
        before, places = room(size + 1), room(size)
        before[0] = 0
        for first, last in _parts(size):
            order = _dealt(np.arange(first, last), size, num_parts)
            places[first:last] = starts[order]
            lengths = starts[order + 1] - places[first:last]
            before[first + 1 : last + 1] = before[first] + np.cumsum(lengths)
        return cls._cut(before, places)

    @classmethod
    def of_starts(cls, starts: np.ndarray) -> Slices:
        """Cut texts, (S + 1,) of which the last is their end, that kernels take at any length."""
        return cls._cut(starts, starts[:-1])

    @classmethod
    def _cut(cls, starts: np.ndarray, places: np.ndarray) -> Slices:
        total = int(starts[-1])
        size = max(min(SLICE_TOKENS, total // FEWEST_SLICES), SMALLEST_SLICE)
        wanted = np.arange(0, total, size)
        firsts = np.unique(np.searchsorted(starts, wanted))
        firsts = firsts[firsts < len(starts) - 1]
        return cls(starts, np.append(firsts, len(starts) - 1), places)

    def __len__(self) -> int:
        return len(self.firsts) - 1

    @property
    def num_tokens(self) -> int:
        """Tokens of the whole text."""
        return int(self.sentence_starts[-1])

    def tokens_before(self, slice_index: int) -> int:
        """Tokens that stand before the slice of this number."""
        return int(self.sentence_starts[self.firsts[slice_index]])


class SliceLearner(Protocol):
    """A model that learns from slices of a text."""

    slices: Slices
    alpha: float  # learning rate at the start

    def compile(self) -> None:
        """Have the machine code ready, so that making it is not taken for learning."""

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn one slice in place, letting go of the GIL."""

    def held_out_loss(self) -> float | None:
        """Return the mean loss of the held-out predictions, or None when nothing is held out."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything that learning changes; a resumed run writes into these arrays."""


def step_seed(seed: int, step: int) -> int:
    """Return the seed of one step, of its own, from that of the training."""
    return (seed * 0x9E3779B1 + step) % 2**32


def cut_sentences(starts: np.ndarray, longest: int, room: Room | None = None) -> np.ndarray:
    """Return sentence starts with more of them, so that no sentence is over `longest` tokens.

    Args:
        starts: (S + 1,) of sentences; the last one is their end.
        longest: tokens.
        room: where what is returned is written to, if anything is cut; None: memory.
    """
    size = sum(int(_pieces(starts[a : b + 1], longest).sum()) for a, b in _parts(len(starts) - 1))
    if size == len(starts) - 1:
        return starts
    cut, at = (room or partial(np.empty, dtype=np.int64))(size + 1), 0
    for a, b in _parts(len(starts) - 1):
        pieces = _pieces(starts[a : b + 1], longest)
        number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        cut[at : at + len(number)] = np.repeat(starts[a:b], pieces) + number * longest
        at += len(number)
    cut[size] = starts[-1]
    return cut


def deal(size: int, num_parts: int) -> np.ndarray:
    """Return 0 ... size - 1 as cards are taken in turn from `num_parts` piles: 0 3 1 4 2 5 of 2."""
    return _dealt(np.arange(size), size, num_parts)


def _dealt(turns: np.ndarray, size: int, num_parts: int) -> np.ndarray:
    """Return the cards that are taken at these turns; piles differ by one card at most."""
    num_parts = max(min(num_parts, size), 1)
    firsts = size * np.arange(num_parts + 1) // num_parts
    height = size // num_parts
    higher = np.flatnonzero(np.diff(firsts) > height)  # piles with a card for a last round
    rounds, piles = np.divmod(turns, num_parts)
    is_last = rounds == height
    piles[is_last] = higher[piles[is_last]]
    cards: np.ndarray = firsts[piles] + rounds
    return cards


def _pieces(starts: np.ndarray, longest: int) -> np.ndarray:
    """Return how many pieces each sentence is cut into."""
    pieces: np.ndarray = -(-np.diff(starts) // longest)
    return pieces


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """Cut 0 ... size into parts whose numbers are in memory together."""
    return ((first, min(first + AT_ONCE, size)) for first in range(0, size, AT_ONCE))


def _room(tokens: TokenFile, length: int) -> np.ndarray:
    """Return an array of so many numbers, in a file beside the text where it is long."""
    if length <= MOST_IN_MEMORY:
        return np.empty(length, np.int64)
    return temporary_array(tokens.folder, "int64", length)
