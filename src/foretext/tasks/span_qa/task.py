"""Question answering: questions whose answers are spans of passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

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
from foretext.tasks.baseline import Baseline
from foretext.tasks.span_qa.baseline import no_answer, span_baseline
from foretext.tasks.task import Candidates, HeadTraits, Resolved, Task, lazily

if TYPE_CHECKING:
    from foretext.heads.base import TaskBase
    from foretext.heads.span_qa import SpanHead

__all__ = ["SpanQA"]

MOST_BYTES = 1 << 31  # of a file of questions


class SpanQA(Task):
    """Questions, each with a passage and the answers that stand in it."""

    head = lazily("foretext.heads.span_qa:SpanHead")
    model = lazily("foretext.tasks.span_qa.network:SpanReader")
    graph = lazily("foretext.tasks.graphs:reader_graph")
    rows_config: ClassVar = QuestionsConfig
    fields = ("question", "context")
    title = "Question answering"
    judged_by = "f1"
    candidates = Candidates(
        order=(
            "near words", "word2vec + reader", "reader", "modern-bert",
            "modern-bert, not pretrained", "bert", "unilm", "electra", "xlnet", "gpt",
            "fasttext + reader", "glove + reader", "ernie", "bart", "t5",
        ),
        baseline="near words",
        over_vectors="reader",
        slowness=2.0,
        pretraining_rate=0.5,
        vectors_rate=0.2,
    )  # fmt: skip
    watched = ("exact_match",)
    vectors_backbone = "reader"

    def lines_of(self, given: Any) -> Iterator[str]:
        """Yield questions in memory as JSON: in the form of SQuAD, or a flat object for each."""
        is_file = isinstance(given, Mapping) and "data" in given
        return json_lines([given] if is_file else given, ("question", "context", "answers"))

    def read(self, path: RowSource, config: QuestionsConfig | None = None) -> list[Question]:
        """Read questions in the form of SQuAD or CMRC."""
        return read_questions(path, config)

    def inputs_in(self, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the questions of a file, with their passages."""
        return question_inputs(file, wanted)

    def objects_of(self, rows: Sequence[Question]) -> Iterator[dict[str, Any]]:
        """Yield questions, each with its passage."""
        return (row.as_object() for row in rows)

    def reading_again(self, config: QuestionsConfig) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields, which is longer."""
        return {"max_piece_bytes": MOST_BYTES}

    def texts(self, rows: Sequence[Question]) -> RowTexts:
        """Return each question with its passage; answers are spans of them."""
        return RowTexts([row.text for row in rows], hold_answers=True)

    def group_of(self, row: Question) -> str:
        """Return the passage: whoever has learned one of its questions has read it."""
        return row.context

    def stratum_of(self, row: Question) -> str:
        """Return whether there is an answer."""
        return "answered" if row.answers else ""

    def problems(self, train: Sequence[Question], test: Sequence[Question] = ()) -> list[Problem]:
        """Return which answers do not stand in their passages, or not where the file says."""
        return find_question_problems(train, test)

    def find(self, rows: Sequence[Question]) -> dict[str, Any]:
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

    def baseline(self, rows: Sequence[Question]) -> Baseline:
        """Learn which words say little, for answers near the words of the question."""
        return span_baseline(rows)

    def head_traits(self, config: SpanHead.Config) -> HeadTraits:
        """Return whether shared tokens are marked by embeddings."""
        return HeadTraits(learns_embeddings=config.shared_tokens is True)

    def resolve(
        self,
        config: SpanHead.Config,
        base: TaskBase,
        rows: Sequence[Question],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose whether the tokens that question and passage share are marked."""
        from foretext.tasks.resolving import resolved_shared_tokens

        return resolved_shared_tokens(
            config, base, is_pretrained=is_pretrained, is_frozen=is_frozen
        )

    def majority(self, rows: Sequence[Question]) -> Baseline | None:
        """Leave all questions without an answer, where some have none."""
        return no_answer(rows)

    joins_word_vectors = True
