"""Pairs for next-sentence prediction: half real successors, half from another document.

Devlin et al. 2019, 3.1. A pair fills a row as far as whole sentences of one document reach; or it
is one sentence and the next (``sentences = 1``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs
from foretext.data.examples_by_row import ExamplesByRow
from foretext.data.row_draws import PaddedDraws, RowDraws
from foretext.data.token_file import TokenFile
from foretext.kernels.segments import fill_rows
from foretext.objectives.masked_rows import Masking

__all__ = ["SentencePairs", "has_pairs"]

DRAWS = 4  # places drawn for an unrelated text; the one with most text after it is taken


def has_pairs(tokens: TokenFile) -> bool:
    """Whether a text has two documents of two sentences or more."""
    sentences = np.searchsorted(tokens.sentence_starts, tokens.document_starts)
    return int((np.diff(sentences) > 1).sum()) > 1


class SentencePairs(ExamplesByRow):
    """``[CLS] first [SEP] second [SEP]``, masked, and whether the second follows the first.

    Args:
        tokens: the text; see `has_pairs`.
        length: tokens of a row, at most.
        sentences: of each text of a pair; None: as many as a row holds.
        frame: ids of `[CLS]`, `[SEP]` and `[PAD]`.
        masking: of the rows.
    """

    drawing = 2

    def __init__(
        self,
        tokens: TokenFile,
        length: int,
        sentences: int | None,
        frame: tuple[int, int, int],
        masking: Masking,
    ) -> None:
        self.tokens = tokens
        self.room = length - 3
        self.cls, self.sep, self.pad = frame
        self.masking = masking
        self.document_sentences = np.searchsorted(tokens.sentence_starts, tokens.document_starts)
        # (P, 2) sentences, first and after last, of each pair together
        self.spans = fill_rows(
            tokens.sentence_starts, self.document_sentences, self.room, 2 * (sentences or 0)
        )

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the numbers of the pairs, (P,), shuffled."""
        return rng.permutation(len(self.spans))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Tokens of each row, as it would be with its real successor."""
        starts = self.tokens.sentence_starts
        first, last = self.spans[keys].T
        return np.minimum(starts[last] - starts[first], self.room) + 3

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Draw where each pair is split and whether it is a real one, and mask it."""
        drawn = draws.random((len(keys), 2 + 2 * DRAWS))  # whether; where; twice each other place
        follows = drawn[:, 0] < 0.5
        pairs = [
            self._pair(first, last, real, others)
            for (first, last), real, others in zip(
                self.spans[keys].tolist(), follows.tolist(), drawn[:, 1:].tolist(), strict=True
            )
        ]
        ids, segments, token_mask = self._framed(pairs)
        corrupted, masked = self.masking.apply(
            ids, PaddedDraws(draws, self.room + 3), self._units(pairs, ids.shape)
        )
        targets = self.masking.targets(ids, masked)
        targets["follows"] = torch.from_numpy(follows.astype(np.int64))  # (B,)
        inputs = Inputs(
            torch.from_numpy(corrupted),
            None if token_mask.all() else torch.from_numpy(token_mask),
            segments=torch.from_numpy(segments),
        )
        return Batch(inputs, targets)

    def _pair(self, first: int, last: int, real: bool, drawn: list[float]) -> tuple[slice, slice]:
        """The two texts made of sentences first to last, as slices of the tokens."""
        starts = self.tokens.sentence_starts
        part = _between(first + 1, last, drawn[0])
        left, right = (starts[first], starts[part]), (starts[part], starts[last])
        if not real:
            full = bool(right[1] - left[0] >= self.room)
            right = self._elsewhere(first, int(right[1] - right[0]), full, drawn[1:])
        return _fitted(slice(*map(int, left)), slice(*map(int, right)), self.room)

    def _elsewhere(
        self, sentence: int, length: int, full: bool, drawn: list[float]
    ) -> tuple[int, int]:
        """Whole sentences of another document, about `length` tokens.

        Neither place nor length may reveal whether a text is the real next one. So an unrelated
        text begins where a next one might: within a pair's span, not at its first sentence, with as
        many tokens after it. Where the row is `full`, both are cut at its end; elsewhere the
        nearest end of a sentence is as often before as after `length`.
        """
        starts = self.tokens.sentence_starts
        start, end = max(
            self._starts_elsewhere(sentence, drawn),
            key=lambda drawn: min(starts[drawn[1]] - starts[drawn[0]], length),
        )
        ends = starts[start + 1 : end + 1]
        begin = starts[start]
        stop = min(int(np.searchsorted(ends, begin + length)), len(ends) - 1)
        if not full and stop > 0 and begin + length - ends[stop - 1] < ends[stop] - begin - length:
            stop -= 1
        return int(begin), int(ends[stop])

    def _starts_elsewhere(self, sentence: int, drawn: list[float]) -> Iterator[tuple[int, int]]:
        """Yield where a second text might begin in other documents, and the ends of these."""
        here = self._document_of(sentence)
        begin, end = np.searchsorted(self.spans[:, 0], self.document_sentences[here : here + 2])
        for pair, place in zip(drawn[::2], drawn[1::2], strict=True):
            number = _between(0, len(self.spans) - int(end - begin), pair)
            first, last = self.spans[number if number < begin else number + end - begin].tolist()
            document = self._document_of(first)
            yield _between(first + 1, last, place), int(self.document_sentences[document + 1])

    def _document_of(self, sentence: int) -> int:
        return int(np.searchsorted(self.document_sentences, sentence, side="right")) - 1

    def _framed(
        self, pairs: list[tuple[slice, slice]]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ids, segments and token mask, (B, T) each."""
        lengths = np.array([_length(left) + _length(right) + 3 for left, right in pairs])
        width = lengths.max()
        ids = np.full((len(pairs), width), self.pad, np.int64)
        segments = np.zeros_like(ids)
        ids[:, 0] = self.cls
        for row, (left, right) in enumerate(pairs):
            parting, end = _length(left) + 1, lengths[row] - 1
            ids[row, 1:parting], ids[row, parting] = self.tokens.ids[left], self.sep
            ids[row, parting + 1 : end], ids[row, end] = self.tokens.ids[right], self.sep
            segments[row, parting + 1 : end + 1] = 1
        return ids, segments, np.arange(width) < lengths[:, None]

    def _units(self, pairs: list[tuple[slice, slice]], shape: tuple[int, ...]) -> np.ndarray | None:
        """What each token begins, (B, T); special tokens, which are never masked, have no bits."""
        if self.tokens.units is None:
            return None
        units = np.zeros(shape, np.uint8)
        for row, (left, right) in enumerate(pairs):
            parting = _length(left) + 1
            units[row, 1:parting] = self.tokens.units[left]
            units[row, parting + 1 : parting + 1 + _length(right)] = self.tokens.units[right]
        return units


def _between(first: int, end: int, drawn: float) -> int:
    """Return one of the numbers from `first` to `end` - 1 by a draw in [0, 1)."""
    return first + int(drawn * (end - first))


def _length(text: slice) -> int:
    length: int = text.stop - text.start
    return length


def _fitted(left: slice, right: slice, room: int) -> tuple[slice, slice]:
    """Cut the longer text's end until both find room."""
    half = room // 2
    if _length(left) + _length(right) <= room:
        return left, right
    if _length(right) <= half:
        return _beginning(left, room - _length(right)), right
    if _length(left) <= half:
        return left, _beginning(right, room - _length(left))
    return _beginning(left, room - half), _beginning(right, half)


def _beginning(text: slice, length: int) -> slice:
    return slice(text.start, text.start + length)
