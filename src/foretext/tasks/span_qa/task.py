"""What fine-tuning asks of a reader: its rows, their problems, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from foretext.base.errors import CorpusError
from foretext.corpus.findings import Problem
from foretext.data.rows import (
    InputColumns,
    InputFile,
    KeptInput,
    Question,
    QuestionsConfig,
    RowTexts,
    find_question_problems,
    question_inputs,
    read_questions,
)
from foretext.data.rows.in_memory import RowSource, json_lines
from foretext.heads.span_qa import SpanHead
from foretext.heads.task_base import TaskBase
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.resolving import resolved_shared_tokens
from foretext.tasks.span_qa.baseline import no_answer, span_baseline
from foretext.tasks.trainee import Resolved

__all__ = ["ReaderLearning"]

MOST_BYTES = 1 << 31  # of a file of questions


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a reader."""

    null_threshold: Annotated[float, Field(allow_inf_nan=False)]


class ReaderLearning(TaskModel):
    """Rows of a question, a passage and its answers."""

    head: SpanHead
    head_class = SpanHead
    facts_type: ClassVar = _Facts
    rows_config: ClassVar = QuestionsConfig
    fields = ("question", "context")
    title = "Question answering"
    abilities = ("predict", "answer", "tokenize", "decode")
    watched = ("exact_match",)
    vectors_backbone = "reader"
    judged_by = "f1"

    @classmethod
    def lines_of(cls, given: Any) -> Iterator[str]:
        """Yield questions in memory as JSON: in the form of SQuAD, or a flat object for each."""
        is_file = isinstance(given, Mapping) and "data" in given
        return json_lines([given] if is_file else given, ("question", "context", "answers"))

    @classmethod
    def read(cls, path: RowSource, config: QuestionsConfig | None = None) -> list[Question]:
        """Read questions in the form of SQuAD or CMRC."""
        return read_questions(path, config)

    @classmethod
    def inputs_in(cls, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the questions of a file, with their passages."""
        return question_inputs(file, wanted)

    @classmethod
    def objects_of(cls, rows: Sequence[Question]) -> Iterator[dict[str, Any]]:
        """Yield questions, each with its passage."""
        return (row.as_object() for row in rows)

    @classmethod
    def reading_again(cls, config: QuestionsConfig) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields, which is longer."""
        return {"max_piece_bytes": MOST_BYTES}

    @classmethod
    def texts(cls, rows: Sequence[Question]) -> RowTexts:
        """Return each question with its passage; answers are spans of them."""
        return RowTexts([row.text for row in rows], hold_answers=True)

    @classmethod
    def group_of(cls, row: Question) -> str:
        """Return the passage: whoever has learned one of its questions has read it."""
        return row.context

    @classmethod
    def stratum_of(cls, row: Question) -> str:
        """Return whether there is an answer."""
        return "answered" if row.answers else ""

    @classmethod
    def problems(cls, train: Sequence[Question], test: Sequence[Question] = ()) -> list[Problem]:
        """Return which answers do not stand in their passages, or not where the file says."""
        return find_question_problems(train, test)

    @classmethod
    def find(cls, rows: Sequence[Question]) -> dict[str, Any]:
        """Return whether some questions have no answer, as in SQuAD 2.0.

        Raises:
            CorpusError: no question has an answer that stands in its passage.
        """
        if not any(row.is_placed for row in rows):
            raise CorpusError(
                f"None of the {len(rows)} questions to learn from has an answer that stands in its "
                "passage; give a file in the form of SQuAD, with 'answers' and 'answer_start'."
            )
        return {"may_abstain": not all(row.answers for row in rows)}

    @classmethod
    def baseline(cls, rows: Sequence[Question]) -> Baseline:
        """Learn which words say little, for answers near the words of the question."""
        return span_baseline(rows)

    @classmethod
    def learns_embeddings(cls, config: SpanHead.Config) -> bool:
        """Whether shared tokens are marked by embeddings."""
        return config.shared_tokens is True

    @classmethod
    def resolve(
        cls,
        config: SpanHead.Config,
        base: TaskBase,
        rows: Sequence[Question],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose whether the tokens that question and passage share are marked."""
        return resolved_shared_tokens(
            config, base, is_pretrained=is_pretrained, is_frozen=is_frozen
        )

    @classmethod
    def majority(cls, rows: Sequence[Question]) -> Baseline | None:
        """Leave all questions without an answer, where some have none."""
        return no_answer(rows)
