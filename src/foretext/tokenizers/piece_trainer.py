"""Learns the pieces of a unigram language model (Kudo 2018, section 3.2), as SentencePiece does.

From a large set of candidates, rounds of expectation and maximisation (EM) are taken in turns with
leaving out those pieces whose loss costs the least likelihood. All sums have one order, so that
equal texts give equal pieces, whatever the number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from foretext.kernels.segmentations import (
    Lattice,
    best_alternatives,
    count_best,
    count_expected,
    drop_pieces,
)
from foretext.tokenizers.piece_seeds import Seeds, seed_pieces

__all__ = ["Piece", "learn_pieces"]

ROUNDS = 2  # of EM before each pruning
SHRINKING = 0.75  # what is left of the pieces at most, after each pruning
SPARE = 1.1  # pieces of the last rounds, by those that are wanted
LEAST = 0.5  # expected occurrences; what has fewer is left out
UNLIKELY = 10.0  # by which characters that were left out score less than the rarest piece
STEP = 0.0001  # between the scores of such characters in the result
SLICE = 1 << 20  # characters of words between two looks at signals


class Piece(NamedTuple):
    """A piece, and the logarithm of its probability."""

    text: str
    score: float


def learn_pieces(
    words: Sequence[str], counts: np.ndarray, number: int, longest: int
) -> list[Piece]:
    """Return the most useful pieces, the most likely first, with all characters of the words.

    Args:
        words: W different words, none empty.
        counts: (W,) how often each occurs.
        number: of pieces, at most; at least as many as there are characters.
        longest: characters of a piece.
    """
    model = _Model(seed_pieces(words, counts, longest))
    while True:
        for _ in range(ROUNDS):
            model.improve()
        if model.num_pieces <= SPARE * number:
            return model.pieces(number)
        model.prune(int(SPARE * number))


class _Model:
    """Pieces and their scores; single characters stay in the lattice, even where left out."""

    def __init__(self, seeds: Seeds) -> None:
        self._lattice: Lattice = seeds.lattice
        self._points, self._places, self._sizes = seeds.points, seeds.places, seeds.sizes
        self._num_characters = seeds.num_characters
        self._is_in = np.ones(len(self._sizes), bool)
        self._scores = np.log(seeds.weights) - np.log(seeds.weights.sum())
        room = int(np.diff(seeds.lattice.starts).max()) + 1
        self._forth, self._back = np.empty(room), np.empty(room)
        self._steps = np.empty(2 * room, np.int64)

    @property
    def num_pieces(self) -> int:
        return int(self._is_in.sum())

    def improve(self) -> float:
        """Do one round of EM; returns the logarithm of the likelihood before it."""
        expected, total = np.zeros(len(self._scores)), 0.0
        probabilities = np.exp(self._scores)
        for first, last in self._slices():
            total += count_expected(
                self._lattice, probabilities, self._forth, self._back, self._steps,
                first, last, expected,
            )  # fmt: skip
        expected = expected[self._keep(expected >= LEAST)]
        self._scores = _digamma(expected) - _digamma(expected[self._is_in].sum(keepdims=True))
        self._scores[~self._is_in] = self._scores[self._is_in].min() - UNLIKELY
        return total

    def prune(self, wanted: int) -> None:
        """Leave out the pieces without which the likelihood falls least."""
        found = np.zeros(len(self._scores))
        for first, last in self._slices():
            count_best(self._lattice, self._scores, self._forth, self._steps, first, last, found)
        size = len(found)
        logs, gains = np.zeros(size), np.zeros(size)
        numbers = np.zeros(size, np.int64)
        with_log = np.maximum(found, 1e-300)
        best_alternatives(
            self._lattice, self._scores, self._places, self._sizes, with_log,
            self._forth, self._steps, 0, size, logs, numbers, gains,
        )  # fmt: skip
        has_other = (numbers > 0) & (gains >= 0)
        stays = self._is_in & ~has_other & ((found > 0) | (numbers == 0))
        total = found.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log(found) - np.log(total)
            other = logs - numbers * np.log(total + found * (numbers - 1))
            losses = found * (own - other)
        losses[found == 0] = 0.0
        candidates = np.flatnonzero(self._is_in & has_other)
        kept_size = max(wanted, int(SHRINKING * self.num_pieces))
        order = candidates[np.argsort(-losses[candidates], kind="stable")]
        stays[order[: max(0, kept_size - int(stays.sum()))]] = True
        self._keep(stays)

    def pieces(self, number: int) -> list[Piece]:
        """Return the result: all characters, and the most likely of the others."""
        least = self._scores[self._is_in].min()
        missing = np.flatnonzero(~self._is_in)
        scores = self._scores.copy()
        scores[missing] = least - STEP * np.arange(len(missing))
        others = np.arange(self._num_characters, len(scores))
        others = others[np.argsort(-scores[others], kind="stable")]
        chosen = np.concatenate(
            [np.arange(self._num_characters), others[: number - self._num_characters]]
        )
        chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
        return [Piece(self._text(piece), float(scores[piece])) for piece in chosen.tolist()]

    def _text(self, piece: int) -> str:
        place = int(self._places[piece])
        points = self._points[place : place + int(self._sizes[piece])]
        return points.tobytes().decode("utf-32-le", "surrogatepass")

    def _keep(self, chosen: np.ndarray) -> np.ndarray:
        """Leave out all other pieces, and return which stay in the lattice: characters, too."""
        self._is_in = self._is_in & chosen
        stays = self._is_in.copy()
        stays[: self._num_characters] = True
        renamed = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
        _, _, firsts, pieces, lengths = self._lattice
        left = drop_pieces(firsts, pieces, lengths, renamed)
        self._lattice = self._lattice._replace(pieces=pieces[:left], lengths=lengths[:left])
        self._places, self._sizes = self._places[stays], self._sizes[stays]
        self._scores, self._is_in = self._scores[stays], self._is_in[stays]
        return stays

    def _slices(self) -> Iterator[tuple[int, int]]:
        """Words, in order, by about `SLICE` characters."""
        starts = self._lattice.starts
        first = 0
        while first < len(starts) - 1:
            last = int(np.searchsorted(starts, starts[first] + SLICE, side="right")) - 1
            last = max(first + 1, last)
            yield first, last
            first = last


def _digamma(values: np.ndarray) -> np.ndarray:
    """The derivative of the logarithm of the gamma function (Bernardo 1976), 0 taken as 0.001."""
    x = np.maximum(values, 1e-3)
    result = np.zeros(len(x))
    while (small := x < 6).any():
        result[small] -= 1 / x[small]
        x = np.where(small, x + 1, x)
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return np.asarray(result + np.log(x) - 0.5 / x - series)
