"""Sentences of tokens as rows that a model can read: each token is answered in one row only.

A sentence that is too long is split into rows that overlap by half. A token is answered in the row
where it is furthest from a cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.data.framing import Framing

__all__ = ["SentenceWindows", "Window"]

SHARED = 2  # rows share this part of their room


class Window(NamedTuple):
    """The part of a sentence in one row, and the tokens that are answered there."""

    sentence: int
    held: slice  # tokens
    answered: slice  # tokens
    positions: NDArray[np.int64]  # of the first ids of the answered tokens, in the row


class SentenceWindows(NamedTuple):
    """The framed rows of some sentences."""

    rows: list[list[int]]  # of ids
    windows: list[Window]  # of each row, in the order of sentences and tokens
    num_cut: int  # sentences that are read in several rows
    tokens: list[NDArray[np.int64]]  # of each row: which token an id is of; -1: of none
    spelling: NDArray[np.uint8] | None = None  # (U, K) of words whose ids follow the vocabulary

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Sequence[int]]], framing: Framing, pad: int) -> Self:
        """Frame sentences, given as the ids of each token.

        One without tokens is a row of what stands around texts, or of `pad`. Of a token that is
        longer than a row the first ids are read.
        """
        found = cls([], [], 0, [])
        num_cut, room = 0, framing.room
        for sentence, tokens in enumerate(sentences):
            pieces = [token[:room] for token in tokens]
            ends = np.cumsum([0, *map(len, pieces)])  # (T + 1,) where each token begins
            held = _held(ends, room)
            num_cut += len(held) > 1
            for tokens_held, answered in zip(held, _answered(ends, held), strict=True):
                ids = [piece for token in pieces[tokens_held] for piece in token]
                found.rows.append(framing.around(ids) or [pad])
                found.tokens.append(_tokens(pieces, tokens_held, framing, len(found.rows[-1])))
                positions = ends[answered] - ends[tokens_held.start] + len(framing.prefix)
                found.windows.append(Window(sentence, tokens_held, answered, positions))
        return found._replace(num_cut=num_cut)

    def gathered(
        self, outputs: Sequence[NDArray[np.float32]], num_sentences: int
    ) -> list[NDArray[np.float32]]:
        """Return the outputs (T, C) of each sentence's tokens, from those of each row's positions.

        Args:
            outputs: (positions, C) of each row.
            num_sentences: that were framed.
        """
        parts: list[list[NDArray[np.float32]]] = [[] for _ in range(num_sentences)]
        for window, output in zip(self.windows, outputs, strict=True):
            parts[window.sentence].append(output[window.positions])
        return [part[0] if len(part) == 1 else np.concatenate(part) for part in parts]


def _tokens(
    pieces: Sequence[Sequence[int]], held: slice, framing: Framing, length: int
) -> NDArray[np.int64]:
    """Return which token each id of a row is of, (length,); -1: one that stands around them."""
    numbers = np.arange(len(pieces))[held].repeat([len(piece) for piece in pieces[held]])
    tokens = np.full(length, -1)
    tokens[len(framing.prefix) : len(framing.prefix) + len(numbers)] = numbers
    return tokens


def _held(ends: NDArray[np.int64], room: int) -> list[slice]:
    """Return the tokens of each row, as many as there is room for."""
    num_tokens = len(ends) - 1
    first, held = 0, []
    while True:
        last = int(np.searchsorted(ends, ends[first] + room, side="right")) - 1
        held.append(slice(first, last))
        if last == num_tokens:
            return held
        first = max(first + 1, int(np.searchsorted(ends, ends[last] - room // SHARED)))


def _answered(ends: NDArray[np.int64], held: Sequence[slice]) -> list[slice]:
    """Return the tokens that each row answers: those with most context there, else the first row.

    The end of the sentence is not a cut.
    """
    num_tokens = len(ends) - 1
    if len(held) == 1:
        return [slice(0, num_tokens)]
    widest = np.full(num_tokens, -1.0)
    owners = np.zeros(num_tokens, np.int64)
    for row, tokens in enumerate(held):
        left = np.inf if row == 0 else ends[tokens] - ends[tokens.start]
        inside = ends[tokens.start + 1 : tokens.stop + 1]
        right = np.inf if tokens.stop == num_tokens else ends[tokens.stop] - inside
        context = np.minimum(left, right)
        better = context > widest[tokens]
        widest[tokens] = np.where(better, context, widest[tokens])
        owners[tokens] = np.where(better, row, owners[tokens])
    edges = np.searchsorted(owners, np.arange(len(held) + 1))
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
