"""What topics say of a text: their shares in it, and how probable each topic is for each word.

A word w of a text with the shares θ is of the topic k with probability θ_k φ_kw / Σ_j θ_j φ_jw
(Blei et al. 2003, 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.messages import MessageTable
from foretext.shown import Grid, Note, Part, Table, TokenLine, TokenLines
from foretext.vectors.insight import rounded

if TYPE_CHECKING:
    from foretext.topics.model import TopicModel

__all__ = ["text_parts", "topics_of_words"]

_said = MessageTable("insight.topics")
MOST_TOPICS = 10
MOST_WORDS = 64
NUM_WORDS = 8  # that say what a topic is
DIGITS = 4


def topics_of_words(
    model: TopicModel, rows: NDArray[np.int64], shares: NDArray[Any]
) -> NDArray[np.float64]:
    """Return how probable each topic is for each word of a text, (N, K).

    Args:
        model: with the words of the topics.
        rows: (N,) the words, as rows of the model's table.
        shares: (K,) of the topics in the text.
    """
    joint = model.words.probabilities()[rows].astype(np.float64) * shares
    found: NDArray[np.float64] = joint / joint.sum(1, keepdims=True)
    return found


def text_parts(model: TopicModel, text: str, shares: NDArray[Any]) -> list[Part]:
    """Return the topics of one text; `shares` (K,) are those that were inferred.

    Raises:
        CorpusError: the text has no word.
    """
    words = model.tokenizer.words(text)
    if not words:
        raise CorpusError("The text has no word: there is nothing to look at.")
    rows = model.row_of[np.array(model.tokenizer.encode(text), np.int64)]  # -1: of no topic
    marks = ["" if row >= 0 else "unknown" for row in rows]
    parts: list[Part] = [
        TokenLines(_said("words"), (TokenLine.of(_said("line"), words, marks),)),
    ]
    known = np.flatnonzero(rows >= 0)
    if not len(known):
        return [*parts, Note(_said("nothing"))]
    parts.append(Note(_said("note", known=len(known), words=len(words), topics=len(model))))
    best = np.argsort(-shares, kind="stable")[:MOST_TOPICS].tolist()
    described = model.topics(NUM_WORDS)
    said = [" ".join(word for word, _ in own) for own in described]
    lines = [(topic + 1, round(float(shares[topic]), DIGITS), said[topic]) for topic in best]
    columns = _said.columns("topic", "share", "topic_words")
    parts.append(Table.of(_said("shares"), columns, lines))
    each = topics_of_words(model, rows[known], shares)[:MOST_WORDS, best]
    labels = [words[position] for position in known[:MOST_WORDS]]
    topics = [f"{topic + 1} {described[topic][0][0]}" for topic in best]
    return [*parts, Grid.of(_said("grid"), labels, topics, rounded(each))]
