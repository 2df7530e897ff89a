"""What vectors say of texts and words: their cosines, neighbours and n-grams, as parts to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.messages import MessageTable
from foretext.shown import Cell, Grid, Note, Part, Shown, Table, TokenLine, TokenLines

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors
    from foretext.vectors.word_vectors import WordVectors

__all__ = [
    "NearText",
    "all_texts",
    "cosine_parts",
    "cosines",
    "nearest",
    "rounded",
    "shortened_title",
    "word_parts",
]

TITLE = 60  # characters of a text that stand in a title
LABEL = 24  # that label a row of a grid
MOST_TEXTS = 32  # of a grid
MOST_WORDS = 32
MOST_NGRAMS = 40
NUM_NEAREST = 5
DIGITS = 4

COSINES = MessageTable("insight.cosines")
WORDS = MessageTable("insight.words")

Array = NDArray[Any]


class NearText(NamedTuple):
    """The text that is nearest to another one."""

    text: str
    vector: Array  # (D,)
    cosine: float


def shortened_title(text: str) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE else f"{line[: TITLE - 1]}…"


def cosines(firsts: Array, seconds: Array) -> NDArray[np.float64]:
    """Return the cosines of all rows of both, (N, M); 0 where a row is zero."""
    pair = [np.asarray(each, np.float64) for each in (firsts, seconds)]
    units = [each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-30) for each in pair]
    found: NDArray[np.float64] = units[0] @ units[1].T
    return found


def rounded(values: Array) -> NDArray[np.float64]:
    """Return numbers with as many digits as a reader can use."""
    exact: NDArray[np.float64] = np.asarray(values, np.float64)
    return exact.round(DIGITS)


def nearest(texts: Sequence[str], vectors: Array) -> list[NearText | None]:
    """Return for each text the one that is nearest to it; None where it is alone."""
    if len(texts) < 2:
        return [None] * len(texts)
    own = cosines(vectors, vectors)
    np.fill_diagonal(own, -np.inf)
    nearest_rows = own.argmax(1).tolist()
    return [
        NearText(shortened_title(texts[other]), vectors[other], float(own[row, other]))
        for row, other in enumerate(nearest_rows)
    ]


def all_texts(texts: Sequence[str], vectors: Array) -> list[Shown]:
    """Return the cosines of all texts with each other under one title; [] of a single text."""
    if len(texts) < 2:
        return []
    return [Shown(COSINES("all"), tuple(cosine_parts(texts, vectors)))]


def cosine_parts(texts: Sequence[str], vectors: Array) -> list[Part]:
    """Return the cosines of texts (N, D) with each other, and the nearest text of each."""
    rows = [
        (shortened_title(text), near.text, round(near.cosine, DIGITS))
        for text, near in zip(texts, nearest(texts, vectors), strict=True)
        if near is not None
    ]
    labels = _labels(texts[:MOST_TEXTS])
    values = rounded(cosines(vectors[:MOST_TEXTS], vectors[:MOST_TEXTS]))
    columns = COSINES.columns("text", "nearest", "cosine")
    return [
        Note(COSINES("note", texts=len(texts), dim=vectors.shape[1])),
        Grid.of(COSINES("grid"), labels, labels, values),
        Table.of(COSINES("table"), columns, rows),
    ]


def word_parts(vectors: WordVectors, text: str) -> list[Part]:
    """Return what word vectors know of the words of a text: neighbours, cosines and n-grams.

    Raises:
        CorpusError: the text has no word.
    """
    words = list(dict.fromkeys(vectors.words_in(text)))
    if not words:
        raise CorpusError("The text has no word: there is nothing to look at.")
    known = [word for word in words if vectors.has_index_for(word)]
    lines = (
        TokenLine.of(
            WORDS("line"),
            vectors.words_in(text),
            ["" if vectors.has_index_for(word) else "unknown" for word in vectors.words_in(text)],
        ),
    )
    figures = {"words": len(words), "known": len(known), "dim": vectors.vector_size}
    parts: list[Part] = [
        Note(WORDS("note", **figures)),
        TokenLines(WORDS("title"), lines),
    ]
    if not known:
        return parts
    parts.append(_neighbour_table(vectors, known[:MOST_WORDS]))
    parts.append(_text_table(vectors, text))
    if len(known) > 1:
        shown = known[:MOST_WORDS]
        own = np.stack([vectors.get_vector(word) for word in shown])
        title = WORDS("grid")
        parts.append(Grid.of(title, shown, shown, rounded(cosines(own, own))))
    if vectors.subwords is not None:
        parts.append(_ngram_table(vectors, vectors.subwords, known))
    return parts


def _neighbour_table(vectors: WordVectors, words: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for word in words:
        vector = vectors.get_vector(word)
        near = vectors.most_similar([word], topn=NUM_NEAREST)
        is_in = word in vectors
        count = None
        if is_in and vectors.counts is not None:
            count = int(vectors.counts[vectors.get_index(word)])
        found = [f"{other} {cosine:.3f}" for other, cosine in near]
        found += [""] * (NUM_NEAREST - len(found))
        rows.append((word, count, round(float(np.linalg.norm(vector)), DIGITS), *found))
    names = ["word", "count", "norm", *(f"near_{n}" for n in range(1, NUM_NEAREST + 1))]
    columns = WORDS.columns(*names)
    return Table.of(WORDS("neighbours"), columns, rows)


def _text_table(vectors: WordVectors, text: str) -> Table:
    """Return the words nearest to the vector of the whole text."""
    near = vectors.similar_by_vector(vectors.embed([text])[0], topn=2 * NUM_NEAREST)
    columns = WORDS.columns("word", "cosine")
    rows = [(word, round(float(cosine), DIGITS)) for word, cosine in near]
    return Table.of(WORDS("text"), columns, rows)


def _ngram_table(vectors: WordVectors, subwords: SubwordVectors, words: Sequence[str]) -> Table:
    """Return the n-grams of words: their cosines with the word, and the word that each is near."""
    rows: list[tuple[Cell, ...]] = []
    for word in words:
        own = vectors.get_vector(word)[None]
        for ngram, vector in subwords.of(vectors.spelled(word)):
            cosine = float(cosines(own, vector[None])[0, 0])
            ((near, how_near),) = vectors.similar_by_vector(vector, topn=1)
            norm = round(float(np.linalg.norm(vector)), DIGITS)
            rows.append((word, ngram, round(cosine, DIGITS), norm, f"{near} {how_near:.3f}"))
    names = ("word", "ngram", "with_word", "norm", "leads_to")
    columns = WORDS.columns(*names)
    return Table.of(WORDS("ngrams"), columns, rows[:MOST_NGRAMS])


def _labels(texts: Sequence[str]) -> list[str]:
    """Return short names of texts, each with its number."""
    lines = [" ".join(text.split()) for text in texts]
    return [
        f"{number} {line if len(line) <= LABEL else line[: LABEL - 1] + '…'}"
        for number, line in enumerate(lines, 1)
    ]
