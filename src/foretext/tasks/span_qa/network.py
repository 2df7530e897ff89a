"""A reader in use: spans of passages that answer questions, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError, SettingError
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import (
    Input,
    Question,
    QuestionInput,
    as_questions,
)
from foretext.data.rows.given import one_or_each
from foretext.heads.base import TaskBase
from foretext.heads.span_qa import SpanHead
from foretext.nn.device import DeviceName
from foretext.nn.precision import ReadingPrecision
from foretext.shown import Part
from foretext.tasks.classification.labeller import check_top
from foretext.tasks.explanation import Texts
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.predictor import Record
from foretext.tasks.span_qa.answers import SpanAnswers, SpanChoice
from foretext.tasks.span_qa.question_windows import QuestionWindows
from foretext.tasks.span_qa.readings import Reading, SpanAnswer, read_spans
from foretext.tasks.span_qa.showing import reading_parts
from foretext.tasks.span_qa.task import SpanQA
from foretext.tasks.top import Top

__all__ = ["SpanAnswer", "SpanReader"]


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a reader."""

    null_threshold: Annotated[float, Field(allow_inf_nan=False)]


class SpanReader(TaskModel):
    """A question and a passage to the span that answers it.

    Args:
        base: tokenizer and backbone.
        head: on that backbone.
        temperature: that scores are divided by before they become probabilities.
        null_threshold: margin above which a question that may have no answer gets none.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" answers in bfloat16 where the device has it.
    """

    task: ClassVar = SpanQA()
    head: SpanHead
    facts_type: ClassVar = _Facts
    abilities = ("predict", "answer", "tokenize", "decode")

    def __init__(
        self,
        base: TaskBase,
        head: SpanHead,
        *,
        temperature: float = 1.0,
        null_threshold: float = 0.0,
        device: DeviceName = "auto",
        precision: ReadingPrecision = "auto",
    ) -> None:
        super().__init__(base, head, temperature=temperature, device=device, precision=precision)
        self.null_threshold = null_threshold

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return (
            'model.predict([("a question", "a passage that holds its answer")])\n'
            'model.answers([("a question", "a passage")])  # with places and probabilities'
        )

    def examples(self, rows: Sequence[Question]) -> PaddedExamples:
        """Return the windows of each question, each with the span of its answer.

        Questions that have answers of which none stands in the passage are left out.

        Raises:
            CorpusError: nothing is left.
        """
        known = [row for row in rows if self.knows(row)]
        windows = self.windows(known)
        spans = windows.spans(known)
        if not self.head.config.keep_empty_windows:
            answerable = np.array([bool(row.answers) for row in known])[windows.owners]
            kept = spans.any(axis=1) | ~answerable
            windows, spans = windows.kept(kept), spans[kept]
        if not len(spans):
            raise CorpusError(
                f"None of {len(rows)} questions can be learned from: no row of max_length = "
                f"{self.head.config.max_length} holds an answer."
            )
        return self._padded(windows, {"span": spans})

    def knows(self, row: Question) -> bool:
        """Whether a question has no answer, or one that stands in its passage."""
        return row.is_placed or not row.answers

    def num_cut(self, rows: Sequence[Question]) -> int:
        """Return the number of questions whose passage is read in several windows."""
        return int((np.bincount(self.windows(rows).owners) > 1).sum())

    @property
    def may_abstain(self) -> bool:
        """Whether a question may be left without an answer."""
        return bool(self.head.found["may_abstain"])

    @checked_arguments
    def predict(self, pairs: Any) -> Any:
        """Return the answer to each question; "" where there is none.

        A single pair, a tuple of two texts, gets a single answer, here and in the other methods.

        Raises:
            CorpusError: something is no pair of a question and a passage.
        """
        return one_or_each(
            pairs, lambda each: [answer.text for answer in self._answers(each)], of_pairs=True
        )

    @checked_arguments
    def predict_proba(self, pairs: Any) -> Any:
        """Return the probability of each question's answer, (N,)."""
        return one_or_each(
            pairs,
            lambda each: np.array([one.probability for one in self._answers(each)], np.float64),
            of_pairs=True,
        )

    @checked_arguments
    def answers(self, pairs: Any) -> Any:
        """Return the answer to each question with its place in the passage.

        Args:
            pairs: of a question and a passage, or rows that were read.

        Raises:
            CorpusError: something is no pair of a question and a passage.
        """
        return one_or_each(pairs, self._answers, of_pairs=True)

    @checked_arguments
    def predict_top(self, pairs: Any, k: int | None = 5) -> Any:
        """Return up to `k` answers to each question, no answer among them.

        The first one is that of `answers`; the others follow, the most probable first.

        Raises:
            CorpusError: something is no pair of a question and a passage.
            SettingError: `k` is no whole number from 1.
        """
        check_top(k, 0.0)
        return one_or_each(pairs, lambda each: self._best(each, k), of_pairs=True)

    def _answers(self, pairs: Sequence[QuestionInput]) -> list[SpanAnswer]:
        return self.answer_rows(as_questions(pairs)).chosen

    def _best(self, pairs: Sequence[QuestionInput], k: int | None) -> list[list[SpanAnswer]]:
        return [self.choice.ranked(each)[:k] for each in self._readings(as_questions(pairs))]

    def answer_rows(self, rows: Sequence[Question]) -> SpanAnswers:
        """Return the best spans of each question's passage, and which of them is chosen."""
        return SpanAnswers(self._readings(rows), self.choice, self.head.config.language)

    def _readings(self, rows: Sequence[Question]) -> list[Reading]:
        if not rows:
            return []
        windows, config = self.windows(rows), self.head.config
        return read_spans(
            windows,
            [row.context for row in rows],
            self.outputs(self._padded(windows, {})),
            max_answer_length=config.max_answer_length,
            num_best=config.num_best,
        )

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides where the answer begins and ends."""
        rows = as_questions([(texts[0], texts[1])])
        windows = self.windows(rows)
        outputs = self.outputs(self._padded(windows, {}))
        (reading,) = self._readings(rows)
        return reading_parts(windows, outputs, rows[0].context, reading, self.choice)

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the windows of a question and its passage."""
        return self._padded(self.windows(as_questions([(texts[0], texts[1])])), {})

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return one answer to a question."""
        return Top(k or 1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the answers to each question with their places in the passage."""
        pairs = [(question, context) for question, context in inputs]
        if top.k == 1:
            found = [[answer] for answer in self.answers(pairs)]
        else:
            found = self.predict_top(pairs, top.k)
        return [
            {"answers": [each.record() for each in row if each.probability >= top.threshold]}
            for row in found
        ]

    def shown(self, record: Record) -> str:
        """Return answers and probabilities, a tab, and the question."""
        answers = (f"{each['text']} {each['probability']:.4f}" for each in record["answers"])
        return f"{'  '.join(answers)}\t{record['question']}"

    def finish(self, rows: Sequence[Question]) -> list[str]:
        """Set the threshold by held-out rows, where questions may have no answer."""
        if not self.may_abstain:
            return []
        return [f"no answer where its margin is above {self.find_threshold(rows):.3f}"]

    def find_threshold(self, rows: Sequence[Question]) -> float:
        """Set and return the threshold by which held-out rows are answered best.

        Raises:
            SettingError: all questions that the model learned from had answers.
        """
        if not self.may_abstain:
            raise SettingError("This model answers every question; it has no threshold to find.")
        self.null_threshold, _ = self.answer_rows(rows).best_null_threshold(rows)
        return self.null_threshold

    @property
    def choice(self) -> SpanChoice:
        """What chooses among the spans of a passage."""
        return SpanChoice(self.may_abstain, self.null_threshold, self.temperature)

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        return {**super().facts(), "null_threshold": self.null_threshold}

    def windows(self, rows: Sequence[Question]) -> QuestionWindows:
        """Return the windows of the passage of each question, as the network reads them."""
        config = self.head.config
        framing = self.base.framing(config.max_length)
        return QuestionWindows.of(
            self.base.reader(),
            framing,
            config,
            rows,
            marks_shared=self.head.marks_tokens,
        )

    def _padded(self, windows: QuestionWindows, targets: dict[str, Any]) -> PaddedExamples:
        return PaddedExamples(
            windows.rows,
            targets,
            pad=self.base.pad,
            visibility=self.base.visibility,
            second_starts=windows.passage_starts,
            shared=windows.shared,
        )
