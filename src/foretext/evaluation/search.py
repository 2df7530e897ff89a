"""An index against queries with known answers: how far up a search puts them.

A line of the file is ``query<TAB>answer``; a query with several answers has several lines. The
answer is the name of a file that the index has (its passages are right), or a text: right are the
passages that have it and, where it is longer than a passage, those that are a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from foretext.base.errors import EvaluationError
from foretext.base.parsing.json_file import read_text, with_line_feeds
from foretext.corpus.sentences import split_sentences
from foretext.evaluation.figures import Evaluation, Measure
from foretext.messages import message
from foretext.metrics.retrieval import relevant_ranks, retrieval_figures
from foretext.search import SearchIndex
from foretext.search.index import open_index
from foretext.search.search_index import By

__all__ = ["WAYS", "evaluate_search", "measure_of_search"]

WAYS: tuple[By, ...] = ("vectors", "words", "both")
DEPTH = 100  # results of a query that are looked at
HEADER = ("query", "answer")
TOGETHER = 256  # queries
NUM_LOOKED_UP = 12  # words of an answer; the texts that have them are compared


def evaluate_search(index: SearchIndex, path: str | Path) -> Evaluation:
    """Measure the search by vectors, by words, and by both.

    Args:
        index: that is searched.
        path: of a file of queries and answers.

    Raises:
        EvaluationError: a line is malformed, or no answer is in the index.
    """
    answers = _read(Path(path))
    known = _Answers(index)
    rows_of = cache(known.rows)
    right = {query: set().union(*map(rows_of, texts)) for query, texts in answers.items()}
    answerable = [query for query, rows in right.items() if rows]
    if not answerable:
        raise EvaluationError(
            f"{path}: no answer is in the index; an answer is the text of a passage, a part of "
            "one, or the name of a file as `foretext search` shows it."
        )
    figures: dict[str, Any] = {
        "kind": "search",
        "queries": len(answerable),
        "without_answer": len(right) - len(answerable),
    }
    for by in WAYS:
        found = []
        for start in range(0, len(answerable), TOGETHER):
            some = answerable[start : start + TOGETHER]
            for query, rows in zip(some, index.rows(some, DEPTH, by=by), strict=True):
                found.append(relevant_ranks(rows, right[query]))
        figures[by] = retrieval_figures(found)
    if index.is_approximate:
        figures["graph_recall"] = index.graph_recall()
    return Evaluation(Path(path), figures)


def measure_of_search(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures an index; see `foretext.kinds.Kind.evaluate`."""
    index = open_index(run)
    return lambda path: evaluate_search(index, path).as_dict()


def _read(path: Path) -> dict[str, list[str]]:
    """Return the answers of each query."""
    answers: dict[str, list[str]] = {}
    for number, line in enumerate(with_line_feeds(read_text(path, EvaluationError)).split("\n"), 1):
        fields = tuple(field.strip() for field in line.removesuffix("\r").split("\t"))
        if not line.strip() or (number == 1 and fields == HEADER):
            continue
        if len(fields) != len(HEADER) or not all(fields):
            raise EvaluationError(message("files.rows.query", path=path, number=number))
        answers.setdefault(fields[0], []).append(fields[1])
    return answers


class _Answers:
    """Finds the passages that are right where an answer is known."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._names = {source.name for source in index.passages.sources}

    def rows(self, answer: str) -> set[int]:
        """Return the passages of the file, with the text, or of the text, that is the answer."""
        if answer in self._names:
            return {row for row, _ in self._index.passages.rows_of(answer)}
        whole = _bare(answer)
        having = {row for row, text in self._candidates(whole) if whole in text}
        if having:
            return having
        sentences = split_sentences(whole).split("\n")
        found = (pair for sentence in sentences for pair in self._candidates(sentence))
        return {row for row, text in found if text in whole}

    def _candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the passages that have the longest words of a text, which are rare."""
        words = self._index.words
        longest = sorted(set(words.words(text)), key=len)[-NUM_LOOKED_UP:]
        for row in words.rows_with_all(longest).tolist():
            yield row, _bare(self._index.passages.text(row))


def _bare(text: str) -> str:
    return " ".join(text.split())
