"""Permuted sentences: each document for itself, no sentence torn apart."""

from __future__ import annotations

from collections import Counter

import numpy as np

from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.objectives.sentence_order import has_sentences, shuffle_sentences

# two documents and the beginning of a third: a a a b | c c | d e
SENTENCES = np.array([[0, 0, 0, 1, 1, 2, 2, 2, 3]])  # a separator is in the sentence before it
DOCUMENTS = np.array([[4, 4, 4, 4, 4, 5, 5, 5, 6]])
SEPARATORS = np.array([[False, False, False, False, True, False, False, True, False]])


def test_every_order_of_a_document_is_as_likely() -> None:
    rng = np.random.default_rng(0)
    many = (np.repeat(each, 2_000, axis=0) for each in (SENTENCES, DOCUMENTS, SEPARATORS))
    found = Counter(map(tuple, shuffle_sentences(*many, rng).tolist()))
    assert set(found) == {(0, 1, 2, 3, 4, 5, 6, 7, 8), (3, 0, 1, 2, 4, 5, 6, 7, 8)}
    assert min(found.values()) > 900


def test_rows_of_a_text(bert_tokens: Tokens) -> None:
    """The sentences of each document are the same, whole, and some stand elsewhere."""
    stream, tokens = TokenStream(bert_tokens.train, 3), bert_tokens.train
    assert has_sentences(tokens)
    places = np.arange(0, 40 * 60, 60)[:, None] + np.arange(60)
    where = stream.whereabouts(places)
    order = shuffle_sentences(*where, np.random.default_rng(1))
    text = stream.take(places)
    for row in range(40):
        assert sorted(order[row].tolist()) == list(range(60))
        read = np.take_along_axis(text[row], order[row], axis=0)
        assert ((text[row] == 3) == (read == 3)).all()  # separators stay
        assert (np.sort(where.documents[row]) == where.documents[row][order[row]]).all()
        sentences = where.sentences[row][order[row]][~where.separators[row][order[row]]]
        assert 1 + (np.diff(sentences) != 0).sum() == len(set(sentences.tolist()))  # whole
    assert (order != np.arange(60)).any(1).mean() > 0.9
