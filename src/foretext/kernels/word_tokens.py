"""From words to the tokens of each, laid end to end."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["join_tokens"]


@kernel(kept=True)
def join_tokens(
    words: np.ndarray,
    starts: np.ndarray,
    tokens: np.ndarray,
    sentence_starts: np.ndarray,
    document_starts: np.ndarray,
    ids: np.ndarray,
) -> None:
    """Write the tokens of `words` (N,) to `ids`, which holds as many as they have.

    Word w has ``tokens[starts[w] : starts[w + 1]]``. Starts of sentences and documents are indices
    into `words` before, into `ids` after.
    """
    written, sentence, document = 0, 0, 0
    for place in range(words.size):
        if sentence < sentence_starts.size and sentence_starts[sentence] == place:
            sentence_starts[sentence] = written
            sentence += 1
        if document < document_starts.size and document_starts[document] == place:
            document_starts[document] = written
            document += 1
        for token in range(starts[words[place]], starts[words[place] + 1]):
            ids[written] = tokens[token]
            written += 1
