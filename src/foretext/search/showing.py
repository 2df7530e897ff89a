"""How a query finds its passages, as parts to show: words, cosines, and both rankings as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foretext.messages import MessageTable
from foretext.search.bm25 import BM25, idf
from foretext.search.passages import Hit, Results
from foretext.shown import Note, Part, Table, TokenLine, TokenLines
from foretext.vectors.insight import shortened_title

if TYPE_CHECKING:
    from foretext.search.search_index import SearchIndex

__all__ = ["query_parts"]

_said = MessageTable("insight.search")
DIGITS = 4


def query_parts(index: SearchIndex, results: Results) -> list[Part]:
    """Return the words of a query with their weights, and its best passages by both ways."""
    words = index.words.words(results.query)
    with_word = {word: index.words.num_with(word) for word in words}
    marks = ["" if with_word[word] else "unknown" for word in words]
    rows = [
        (word, num, round(float(idf(num, len(index))), DIGITS)) for word, num in with_word.items()
    ]
    added = _added(index, [hit.row for hit in results.hits], list(with_word))
    parts: list[Part] = [
        Note(_said("note", passages=len(index))),
        TokenLines(_said("words"), (TokenLine.of(_said("line"), words, marks),)),
        Table.of(_said("weights"), _said.columns("word", "passages", "weight"), rows),
        Table.of(
            _said("found"),
            _said.columns("rank", "fused", "cosine", "bm25", "best_word", "passage"),
            [(rank, *_cells(hit, added[rank - 1])) for rank, hit in enumerate(results.hits, 1)],
        ),
    ]
    return parts


def _added(index: SearchIndex, rows: list[int], words: list[str]) -> list[dict[str, float]]:
    """Return what each word adds to the BM25 of each passage; a word scores all of them at once."""
    scores = {word: index.words.scores([word], BM25())[rows].tolist() for word in words}
    return [{word: scores[word][number] for word in words} for number in range(len(rows))]


def _cells(hit: Hit, each: dict[str, float]) -> tuple[float, float | None, float | None, str, str]:
    """Return the scores of a passage, and the word that adds most to its BM25."""
    best = max(each, key=lambda word: each[word], default="")
    cosine = None if hit.cosine is None else round(hit.cosine, DIGITS)
    bm25 = None if hit.bm25 is None else round(hit.bm25, DIGITS)
    return (
        round(hit.score, 6),
        cosine,
        bm25,
        best if each.get(best) else "",
        shortened_title(hit.text),
    )
