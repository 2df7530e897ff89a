"""Sentences put together until a row is full."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["fill_rows"]


def fill_rows(
    sentence_starts: np.ndarray,  # (S + 1,) int64, in tokens
    document_sentences: np.ndarray,  # (documents + 1,) int64, first sentence of each document
    room: int,  # tokens of a row
    most: int,  # sentences of a row; 0: as many as find room
) -> np.ndarray:
    """Return (P, 2) int64: first sentence and the one behind the last, two or more in each row.

    Rows lie end to end within a document. Each ends with the sentence that fills it, which is cut
    later, or with the document; a last sentence left alone is joined by the one before it. With
    `most`, every sentence opens a row that has so many behind it.
    """
    if most:
        documents = np.repeat(document_sentences[1:], np.diff(document_sentences))
        first = np.arange(len(sentence_starts) - 1)
        first = first[first + most <= documents]
        return np.stack((first, first + most), axis=1)
    spans = np.empty((len(sentence_starts) - 1, 2), np.int64)
    return spans[: _fill(sentence_starts, document_sentences, room, spans)].copy()


@kernel()
def _fill(sentence_starts, document_sentences, room, spans):
    """Write the spans; returns their number."""
    num_spans = 0
    for document in range(len(document_sentences) - 1):
        sentence, end = document_sentences[document], document_sentences[document + 1]
        while end - sentence >= 2:
            last = sentence + 2
            while last < end and sentence_starts[last] - sentence_starts[sentence] < room:
                last += 1
            spans[num_spans, 0], spans[num_spans, 1] = sentence, last
            num_spans += 1
            sentence = last
        if end - sentence == 1 and end - document_sentences[document] >= 2:
            spans[num_spans, 0], spans[num_spans, 1] = sentence - 1, end
            num_spans += 1
    return num_spans
