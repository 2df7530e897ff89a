"""Sentence vectors: texts, pairs, triples or scored pairs to learn vectors from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from foretext.base.errors import CorpusError
from foretext.corpus.findings import Problem
from foretext.data.rows import (
    RowTexts,
    SentenceRow,
    SentencesConfig,
    find_row_problems,
    read_sentences,
    sentence_lines,
)
from foretext.data.rows.findings import problem_of
from foretext.data.rows.in_memory import RowSource
from foretext.tasks.baseline import Baseline
from foretext.tasks.score_answers import score_range
from foretext.tasks.sentence_vectors.answers import UNTOUCHED, sentence_answers, vectors_by
from foretext.tasks.sentence_vectors.baseline import tfidf_baseline
from foretext.tasks.task import Task, lazily

__all__ = ["SentenceVectors"]

UNMEASURED = (
    "Texts alone do not say how good their vectors are; give pairs of texts with scores as --test "
    "or --valid, or later to `foretext evaluate`, and the correlation with them does."
)


class SentenceVectors(Task):
    """Rows of one text, of two or of three, or of two with a score."""

    head = lazily("foretext.heads.sentence_vectors:SentenceVectorsHead")
    model = lazily("foretext.tasks.sentence_vectors.network:SentenceEncoder")
    graph = lazily("foretext.tasks.graphs:encoder_graph")
    rows_config: ClassVar = SentencesConfig
    title = "Sentence vectors"
    judged_by = "ndcg@10"
    watched = ("recall@1", "recall@10", "pearson")
    has_head = False
    is_compared = False
    usual_batch = 64

    def read(self, path: RowSource, config: SentencesConfig | None = None) -> list[SentenceRow]:
        """Read texts, pairs, triples or scored pairs."""
        return read_sentences(path, config)

    def lines_of(self, given: Any) -> Iterator[str]:
        """Yield rows that Python holds as JSON lines."""
        return sentence_lines(given)

    def objects_of(self, rows: Sequence[SentenceRow]) -> Iterator[dict[str, Any]]:
        """Yield rows as JSON objects."""
        for row in rows:
            if row.text_b is None:
                yield {"text": row.text_a}
                continue
            values = row._asdict().items()
            yield {name: value for name, value in values if name != "place" and value is not None}

    def texts(self, rows: Sequence[SentenceRow]) -> RowTexts:
        """Return each text of the rows once."""
        return RowTexts(list(dict.fromkeys(text for row in rows for text in row.texts)))

    def problems(
        self, train: Sequence[SentenceRow], test: Sequence[SentenceRow] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        found = find_row_problems(train, test)
        if train[0].kind == "texts" and not (test and test[0].kind == "scores"):
            found.append(problem_of("note", UNMEASURED))
        return found

    def find(self, rows: Sequence[SentenceRow]) -> dict[str, Any]:
        """Return the kind of the rows.

        Raises:
            CorpusError: there are fewer than two, or all have the same score.
        """
        if len(rows) < 2:
            raise CorpusError(
                f"{rows[0].place}: there is one row alone, and vectors are learned by comparing "
                "texts; give more."
            )
        if rows[0].kind == "scores":
            score_range(rows)
        return {"kind": rows[0].kind}

    def needs_dropout(self, rows: Sequence[SentenceRow]) -> bool:
        """Whether rows are texts alone: two readings of a text differ by dropout only."""
        return rows[0].kind == "texts"

    def baseline(self, rows: Sequence[SentenceRow]) -> Baseline:
        """Compare texts by their words."""
        return tfidf_baseline(rows)

    def untouched(
        self, embed: Callable[[Sequence[str]], Any], rows: Sequence[SentenceRow]
    ) -> Baseline:
        """Compare texts by the vectors that the base has for them."""
        return Baseline(UNTOUCHED, lambda others: sentence_answers(others, vectors_by(embed)))
