"""States of tokens over their contexts, and pieces of texts as a teacher reads them."""

from __future__ import annotations

from itertools import chain

import numpy as np

from foretext.language_model import LanguageModel
from tests.language_model.models import MAX_LENGTH, SENTENCES, bert, gpt


def by_hand(model: LanguageModel, rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Sums and counts of the states of each token, a text at a time."""
    sums = np.zeros((model.tokenizer.vocab_size, model.backbone.dim))
    counts = np.zeros(len(sums), int)
    for row in rows:
        states = model.layers(model.tokenizer.decode(row)).states[-1]
        first = len(states) - len(row) - (1 if len(states) > len(row) else 0)
        for token, state in zip(row, states[first:], strict=False):
            sums[token] += state
            counts[token] += 1
    return sums, counts


def test_sums_are_those_of_the_states() -> None:
    for model in (bert(), gpt()):
        rows = model.cut(SENTENCES)
        read = model.read_tokens(rows)
        sums, counts = by_hand(model, rows)
        np.testing.assert_array_equal(read.counts, counts)
        np.testing.assert_allclose(read.sums, sums, atol=0.2)  # bfloat16, where it is fast
        known = counts > 0
        np.testing.assert_allclose(
            read.means[known], (sums.T[:, known] / counts[known]).T, atol=0.1
        )
        assert not read.means[~known].any()
        np.testing.assert_allclose(read.texts, model.embed(SENTENCES), atol=0.05)


def test_long_texts_are_cut_without_overlap() -> None:
    model = bert()
    text = " ".join(SENTENCES * 4)
    pieces = model.cut([text, "", SENTENCES[0]])
    room = MAX_LENGTH - 2
    assert [len(piece) for piece in pieces[:2]] == [room, room]
    assert [*chain(*pieces[:-1])] == model.tokenizer.encode(text)
    assert pieces[-1] == model.tokenizer.encode(SENTENCES[0])


def test_progress_counts_rows() -> None:
    model, done = bert(), []
    rows = model.cut(SENTENCES)
    model.read_tokens(rows, done.append)
    assert sum(done) == len(rows)
