"""What fine-tuning asks of a sentence encoder: its rows, their problems, and its baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.corpus.findings import Problem
from foretext.data.padded_examples import PaddedExamples
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
from foretext.heads.sentence_vectors import SCORES, TEXTS, SentenceVectorsHead
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import TaskModel
from foretext.tasks.score_answers import score_range, scores_of
from foretext.tasks.sentence_vectors.baseline import tfidf_baseline
from foretext.tasks.windows import Windows

__all__ = ["SentenceEncoderLearning"]

UNMEASURED = (
    "Texts alone do not say how good their vectors are; give pairs of texts with scores as --test "
    "or --valid, or later to `foretext evaluate`, and the correlation with them does."
)


class SentenceEncoderLearning(TaskModel):
    """Rows of one text, of two or of three, or of two with a score.

    Attributes:
        has_scores: whether the rows that were measured last have scores; None: there are none.
    """

    has_scores: bool | None = None

    head: SentenceVectorsHead
    head_class = SentenceVectorsHead
    rows_config: ClassVar = SentencesConfig
    title = "Sentence vectors"
    abilities = ("embed", "rerank", "predict", "tokenize", "decode")
    watched = ("recall@1", "recall@10", "pearson")
    has_head: ClassVar = False
    is_compared: ClassVar = False
    usual_batch: ClassVar = 64

    @classmethod
    def read(cls, path: RowSource, config: SentencesConfig | None = None) -> list[SentenceRow]:
        """Read texts, pairs, triples or scored pairs."""
        return read_sentences(path, config)

    @classmethod
    def lines_of(cls, given: Any) -> Iterator[str]:
        """Yield rows that Python holds as JSON lines."""
        return sentence_lines(given)

    @classmethod
    def objects_of(cls, rows: Sequence[SentenceRow]) -> Iterator[dict[str, Any]]:
        """Yield rows as JSON objects."""
        for row in rows:
            if row.text_b is None:
                yield {"text": row.text_a}
                continue
            values = row._asdict().items()
            yield {name: value for name, value in values if name != "place" and value is not None}

    @classmethod
    def texts(cls, rows: Sequence[SentenceRow]) -> RowTexts:
        """Return each text of the rows once."""
        return RowTexts(list(dict.fromkeys(text for row in rows for text in row.texts)))

    @classmethod
    def problems(
        cls, train: Sequence[SentenceRow], test: Sequence[SentenceRow] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        found = find_row_problems(train, test)
        if train[0].kind == "texts" and not (test and test[0].kind == "scores"):
            found.append(problem_of("note", UNMEASURED))
        return found

    @classmethod
    def find(cls, rows: Sequence[SentenceRow]) -> dict[str, Any]:
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

    @classmethod
    def needs_dropout(cls, rows: Sequence[SentenceRow]) -> bool:
        """Whether rows are texts alone: two readings of a text differ by dropout only."""
        return rows[0].kind == "texts"

    @classmethod
    def baseline(cls, rows: Sequence[SentenceRow]) -> Baseline:
        """Compare texts by their words."""
        return tfidf_baseline(rows)

    def examples(self, rows: Sequence[SentenceRow]) -> PaddedExamples:
        """Return the texts of each row as a group; a text alone is read twice."""
        self.check_kind(rows)
        groups = [row.texts * 2 if row.text_b is None else row.texts for row in rows]
        texts = [text for group in groups for text in group]
        windows = Windows.of(self.base, texts, self.head.config.max_length, "head")
        return PaddedExamples(
            windows.rows,
            self._targets(rows, groups),
            pad=self.base.pad,
            visibility=self.base.visibility,
            group=len(groups[0]),
        )

    def num_cut(self, rows: Sequence[SentenceRow]) -> int:
        """Return the number of rows with a text that is longer than the model reads in training."""
        room, reader = self.base.framing(self.head.config.max_length).room, self.base.reader()
        encoded = reader.encode_batch([text for row in rows for text in row.texts])
        lengths = iter([len(ids) for ids in encoded])
        return sum(max(next(lengths) for _ in row.texts) > room for row in rows)

    def check_kind(self, rows: Sequence[SentenceRow]) -> None:
        """Check that rows can measure the model, and note by what figure they do.

        They are of the kind that the model learns from, or pairs with scores, which measure all
        vectors; triples are pairs, too.

        Raises:
            CorpusError: they are of another kind.
        """
        self.has_scores = rows[0].kind == "scores"
        if self.has_scores:
            return
        kinds = {"pairs": "triples"}  # both are measured by a search
        if kinds.get(rows[0].kind, rows[0].kind) != kinds.get(self.head.kind, self.head.kind):
            raise CorpusError(
                f"{rows[0].place}: the rows are {rows[0].kind}, and those of the training are "
                f"{self.head.kind}; give rows of the same kind, or pairs with scores."
            )

    def _targets(
        self, rows: Sequence[SentenceRow], groups: Sequence[tuple[str, ...]]
    ) -> dict[str, NDArray[Any]]:
        if rows[0].kind == "scores":
            return {SCORES: np.array(scores_of(rows), np.float32)}
        numbers: dict[str, int] = {}
        every = [[numbers.setdefault(text, len(numbers)) for text in group] for group in groups]
        return {TEXTS: np.array(every, np.int64)}
