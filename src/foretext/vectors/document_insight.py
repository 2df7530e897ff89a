"""What vectors of documents say of a text: the documents near it, and the words that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.messages import MessageTable
from foretext.shown import Note, Part, Table, TokenLine, TokenLines
from foretext.vectors.insight import cosines, word_parts

if TYPE_CHECKING:
    from foretext.vectors.document_vectors import DocumentVectors

__all__ = ["text_parts"]

_said = MessageTable("insight.documents")
NUM_NEAREST = 10
SEEDS = 5  # of inference, which draws: how far its vectors are from each other
DIGITS = 4


def text_parts(model: DocumentVectors, text: str, vector: NDArray[Any]) -> list[Part]:
    """Return what is known of one text.

    Args:
        model: with the documents.
        text: any.
        vector: (D,) that was inferred of it; zeros: it has no known word.

    Raises:
        CorpusError: the text has no word.
    """
    words = model.tokenizer.words(text)
    if not words:
        raise CorpusError("The text has no word: there is nothing to look at.")
    known = set(model.tokenizer.vocabulary.words[1:])
    marks = ["" if word in known else "unknown" for word in words]
    parts: list[Part] = [TokenLines(_said("words"), (TokenLine.of(_said("line"), words, marks),))]
    if not vector.any():
        return [*parts, Note(_said("nothing"))]
    drawn = np.stack([model.embed([text], seed=seed)[0] for seed in range(2, 2 + SEEDS)])
    agreement = float(cosines(drawn, vector[None]).mean())
    norm = float(np.linalg.norm(vector))
    said = _said("note", dim=len(vector), norm=norm, seeds=SEEDS, agreement=agreement)
    rows = [
        (name, round(float(cosine), DIGITS), model.beginning(name))
        for name, cosine in model.documents.similar_by_vector(vector, NUM_NEAREST)
    ]
    columns = _said.columns("document", "cosine", "beginning")
    parts += [Note(said), Table.of(_said("nearest"), columns, rows)]
    return [*parts, *word_parts(model.words, text)] if model.network.config.reads_words else parts
