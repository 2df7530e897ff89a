"""Pairs for next-sentence prediction: half real successors, half from another document.

Devlin et al. 2019, 3.1. A pair fills a row as far as whole sentences of one document reach; or it
is one sentence and the next (``sentences = 1``). What is unrelated is the second text of another
pair, split as that pair is, so that no count of tokens or sentences says whether a text is the next
one. The authors' program draws unrelated texts that are as long as there is room, which are longer.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch, Inputs
from foretext.data.examples import ExamplesByRow
from foretext.data.row_draws import PaddedDraws, RowDraws, whole_numbers
from foretext.data.token_file import TokenFile
from foretext.kernels.segments import fill_rows
from foretext.objectives.masked_rows import BY_EXAMPLE, Masking

__all__ = ["SentencePairs", "has_pairs"]

STRANGERS = 16  # pairs drawn elsewhere; the one whose second text is about as long is taken

Numbers = NDArray[np.int64]


def has_pairs(tokens: TokenFile, sentences: int | None = None) -> bool:
    """Whether two documents of a text have a pair of so many sentences in each text; None: one."""
    of_documents = np.searchsorted(tokens.sentence_starts, tokens.document_starts)
    return int((np.diff(of_documents) >= 2 * (sentences or 1)).sum()) > 1


class Halves(NamedTuple):
    """Where the two texts of pairs begin, and how many tokens they have; arrays of one shape."""

    first: Numbers
    num_first: Numbers
    second: Numbers
    num_second: Numbers

    @classmethod
    def fitted(cls, first: Numbers, second: Numbers, end: Numbers, room: int) -> Self:
        """Cut the end of the longer text until both find room; texts lie end to end."""
        half = room // 2
        left, right = second - first, end - second
        is_short_right, is_short_left = right <= half, left <= half
        num_first = np.where(
            is_short_right, room - right, np.where(is_short_left, left, room - half)
        )
        num_second = np.where(is_short_right, right, np.where(is_short_left, room - left, half))
        fits = left + right <= room
        return cls(
            first, np.where(fits, left, num_first), second, np.where(fits, right, num_second)
        )


class SentencePairs(ExamplesByRow):
    """``[CLS] first [SEP] second [SEP]``, masked, and whether the second follows the first.

    Args:
        tokens: the text; see `has_pairs`.
        length: tokens of a row, at most.
        sentences: of each text of a pair; None: as many as a row holds.
        frame: ids of `[CLS]`, `[SEP]` and `[PAD]`.
        masking: of the rows.
    """

    drawing = 3

    def __init__(
        self,
        tokens: TokenFile,
        length: int,
        sentences: int | None,
        frame: tuple[int, int, int],
        masking: Masking,
    ) -> None:
        self.tokens = tokens
        self.room, self.sentences = length - 3, sentences
        self.cls, self.sep, self.pad = frame
        self.masking = masking
        self.document_sentences = np.searchsorted(tokens.sentence_starts, tokens.document_starts)
        # (P, 2) sentences, first and after last, of each pair together
        self.spans = fill_rows(
            tokens.sentence_starts, self.document_sentences, self.room, 2 * (sentences or 0)
        )
        # the first pair of each document, and P
        self.document_pairs = np.searchsorted(self.spans[:, 0], self.document_sentences)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the numbers of the pairs, (P,), shuffled."""
        return rng.permutation(len(self.spans))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Tokens of each row, as it would be if no text was cut for another."""
        starts = self.tokens.sentence_starts
        first, last = self.spans[keys].T
        return np.minimum(starts[last] - starts[first], self.room) + 3

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Draw where each pair is split and whether it is a real one, and mask it."""
        drawn = draws.random((len(keys), 2 + 2 * STRANGERS))
        follows = drawn[:, 0] < 0.5
        pairs = self._pairs(keys, follows, drawn[:, 1:])
        ids, segments, token_mask = self._framed(pairs)
        masked = self.masking.apply(
            ids, PaddedDraws(draws, self.room + 3), self._units(pairs, ids.shape)
        )
        targets = self.masking.targets(ids, masked)
        targets["follows"] = torch.from_numpy(follows.astype(np.int64))  # (B,)
        inputs = Inputs(
            torch.from_numpy(masked.ids),
            None if token_mask.all() else torch.from_numpy(token_mask),
            segments=torch.from_numpy(segments),
        )
        return Batch(inputs, targets, by_example=BY_EXAMPLE & targets.keys())

    def _pairs(
        self, keys: Numbers, follows: NDArray[np.bool_], drawn: NDArray[np.float64]
    ) -> list[tuple[slice, slice]]:
        """The two texts of each row, as slices of the tokens.

        Each row has two second texts, its own and that of the stranger. Both are cut to the length
        of the shorter one, whichever stands in the row, and of the strangers the nearest one counts
        that has then as many sentences. So neither number says which of the two it is.
        """
        own, strangers = self._halves(keys, drawn[:, 0]), self._strangers(keys, drawn[:, 1:])
        own_length, own_second = own.num_second[:, None], own.second[:, None]  # (B, 1)
        lengths = np.minimum(own_length, strangers.num_second)  # (B, STRANGERS)
        differs = self._sentences(own_second, lengths) != self._sentences(strangers.second, lengths)
        far = np.abs(strangers.num_second - own_length) + self.room * differs
        nearest = np.arange(len(keys)), far.argmin(axis=1)
        second = np.where(follows, own.second, strangers.second[nearest])
        length = lengths[nearest]
        stops = own.first + own.num_first, second + length
        return [
            (slice(first, first_stop), slice(second, second_stop))
            for first, first_stop, second, second_stop in zip(
                own.first.tolist(),
                stops[0].tolist(),
                second.tolist(),
                stops[1].tolist(),
                strict=True,
            )
        ]

    def _halves(self, pairs: Numbers, drawn: NDArray[np.float64]) -> Halves:
        """Split pairs at a drawn sentence, or in their middle; both arrays have one shape."""
        starts = self.tokens.sentence_starts
        first, last = self.spans[pairs, 0], self.spans[pairs, 1]
        if self.sentences is None:
            part = first + 1 + whole_numbers(drawn, last - first - 1)
        else:
            part = first + self.sentences
        return Halves.fitted(starts[first], starts[part], starts[last], self.room)

    def _sentences(self, begins: Numbers, lengths: Numbers) -> Numbers:
        """The sentences of texts that begin with one, whole or cut."""
        starts = self.tokens.sentence_starts
        behind = np.searchsorted(starts, begins + lengths)
        return behind - np.searchsorted(starts, begins)

    def _strangers(self, keys: Numbers, drawn: NDArray[np.float64]) -> Halves:
        """Pairs of other documents, (B, STRANGERS), split as they would be in rows of their own."""
        first = self.spans[keys, 0]
        here = np.searchsorted(self.document_sentences, first, side="right") - 1
        begin, end = self.document_pairs[here, None], self.document_pairs[here + 1, None]  # (B, 1)
        numbers = whole_numbers(drawn[:, ::2], len(self.spans) - (end - begin))
        return self._halves(
            np.where(numbers < begin, numbers, numbers + end - begin), drawn[:, 1::2]
        )

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


def _length(text: slice) -> int:
    length: int = text.stop - text.start
    return length
