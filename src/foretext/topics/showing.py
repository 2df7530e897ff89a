"""What a topic model learns from: the words of each document with their counts, in no order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from foretext.messages import MessageTable
from foretext.shown import Note, Part, Shown, Table, TokenLine, TokenLines
from foretext.topics.bags import Batch, document_rates, ids_of

if TYPE_CHECKING:
    from foretext.topics.lda import LDA

__all__ = ["topics_shown"]

said = MessageTable("topics")
MOST_WORDS = 12  # rows of a table
MOST_TOKENS = 60  # of a document; of a longer one the beginning is shown


def topics_shown(model: LDA, words: list[str], number: int, seed: int) -> list[Shown]:
    """Show which words topics are made of, and so many documents as bags of words.

    Args:
        model: before its first step.
        words: V, by id.
        number: of documents.
        seed: of their draw.
    """
    drawn = np.random.default_rng(seed).permutation(model.num_documents)[:number]
    documents = (
        Shown(said("document", number=at + 1), tuple(_document(model, words, at)))
        for at in sorted(drawn.tolist())
    )
    return [Shown(said("title"), tuple(_words(model, words))), *documents]


def _words(model: LDA, words: list[str]) -> Iterator[Part]:
    """Show the words that are left out because too many documents have them."""
    config, rates = model.config, document_rates(model.tokens.train)
    sizes = {"documents": model.num_documents, "words": len(model.ids)}
    yield Note(said("note", **sizes, topics=config.num_topics, most=f"{config.most_documents:g}"))
    left_out = np.setdiff1d(np.flatnonzero(rates > 0), [0, *model.ids])
    order = left_out[np.argsort(-rates[left_out], kind="stable")][:MOST_WORDS]
    if len(order):
        rows = [(words[word], float(rates[word])) for word in order]
        title = said("left_out", number=len(left_out))
        yield Table.of(title, (said("word"), said("share")), rows)


def _document(model: LDA, words: list[str], number: int) -> Iterator[Part]:
    """Show a document, and the bag that the training has of it."""
    ids, of_document = ids_of(model.tokens.train, np.array([number]))
    batch = Batch.of(ids, of_document, 1, model.row_of)
    shown = ids[:MOST_TOKENS].tolist()
    marks = ["" if model.row_of[word] >= 0 else "dropped" if word else "unknown" for word in shown]
    cut = len(ids) > MOST_TOKENS
    title = said("cut", shown=MOST_TOKENS, size=len(ids)) if cut else said("text")
    line = TokenLine.of(said("words"), [words[word] for word in shown], marks)
    yield TokenLines(title, (line,))
    found = model.ids[batch.rows][batch.bags.slots]
    order = np.argsort(-batch.bags.counts, kind="stable")
    rows = [(words[found[at]], int(batch.bags.counts[at])) for at in order]
    bag = said("bag", number=batch.num_words, different=len(rows), shown=min(len(rows), MOST_WORDS))
    yield Table.of(bag, (said("word"), said("count")), rows[:MOST_WORDS])
