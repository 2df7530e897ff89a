"""The rows of a part of a text: what stands within the window of each word, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from foretext.corpus.blocks import Advance, map_in_order
from foretext.data.token_file import TokenFile
from foretext.kernels.cooccurrence import (
    count_rows,
    halo_after,
    halo_before,
    known_words,
    list_places,
)
from foretext.vectors.row_runs import Piece, new_piece, pieces_of, trimmed

__all__ = ["KnownWords", "known_part", "rows_around"]


class KnownWords(NamedTuple):
    """The known words of a part of a text, with as many around it as its windows reach."""

    words: np.ndarray  # (N,) int32, a 0 before, between and after sentences
    first: int  # place of the first word of the part itself
    last: int  # place behind its last one


def known_part(tokens: TokenFile, window: int, first: int, last: int) -> KnownWords:
    """Return the known words of the tokens `first` to `last` - 1, which may cut sentences."""
    ids, sentences = tokens.ids, tokens.sentence_starts
    if first == last:
        return KnownWords(np.zeros(1, np.int32), 0, 0)
    before = int(np.searchsorted(sentences, first, side="right")) - 1
    after = int(np.searchsorted(sentences, last, side="left"))
    begin = halo_before(ids, first, sentences[before], window)
    end = halo_after(ids, last, sentences[after], window)
    words = np.empty(end - begin + after - before + 2, np.int32)
    size, *centres = known_words(ids, sentences, begin, first, last, end, words)
    return KnownWords(words[:size], centres[0], centres[1])


def rows_around(
    part: KnownWords,
    weights: np.ndarray,
    vocab_size: int,
    capacity: int,
    workers: int = 1,
    progress: Advance | None = None,
) -> Iterator[Piece]:
    """Yield the rows of what stands around the words of a part.

    Args:
        part: of a text.
        weights: of pairs, by distance, (window + 1,) int64.
        vocab_size: the number of rows.
        capacity: cells of a piece, at most; a row is never cut.
        workers: threads.
        progress: shows the words done.
    """
    words, window = part.words, len(weights) - 1
    starts, places = list_places(words, part.first, part.last, vocab_size)
    most = np.minimum(2 * window * np.diff(starts), vocab_size)  # (V,) cells of each row

    def work(rows: tuple[int, int]) -> Piece:
        size = int(most[rows[0] : rows[1]].sum())
        piece = new_piece(rows[1] - rows[0], size)
        count_rows(words, starts, places, weights, *rows, *piece)
        return trimmed(piece)

    pieces = pieces_of(most, capacity)
    for rows, piece in zip(pieces, map_in_order(work, pieces, workers), strict=True):
        if progress is not None:
            progress.advance(int(starts[rows[1]] - starts[rows[0]]))
        yield piece
