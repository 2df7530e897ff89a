"""Spans of passages as answers to questions: which is chosen, and how good the choice is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np

from foretext.corpus.scripts import script_rates
from foretext.data.rows import Question
from foretext.metrics import softmax
from foretext.metrics.paired import Tallies, share_tallies
from foretext.metrics.span_qa import (
    answer_scores,
    best_threshold,
    chinese_f1,
    word_f1,
)
from foretext.tasks.answers import Answers
from foretext.tasks.one_answer import one_answer
from foretext.tasks.shown_row import ShownRow, shown_rows
from foretext.tasks.span_qa.readings import Reading, SpanAnswer
from foretext.tasks.span_qa.span_findings import Language, span_findings

__all__ = ["SpanAnswers", "SpanChoice", "language_of"]

_SAMPLE = 1000  # questions that the script is found from


@dataclass(frozen=True)
class SpanChoice:
    """Which of the spans of a reading is the answer.

    Attributes:
        may_abstain: whether a question may be left without an answer.
        null_threshold: margin above which a question that may have no answer gets none.
        temperature: that scores are divided by before they become probabilities.
    """

    may_abstain: bool
    null_threshold: float = 0.0
    temperature: float = 1.0

    def best(self, reading: Reading) -> SpanAnswer:
        """Return the best answer of a reading; none where none is preferred by enough."""
        abstains = self.may_abstain and reading.margin > self.null_threshold
        return self.candidates(reading)[-1 if abstains else 0]

    def candidates(self, reading: Reading) -> list[SpanAnswer]:
        """Return all answers with their probabilities: the spans, the best first, then none."""
        with_none = self.may_abstain or not reading.spans
        scores = np.append(reading.scores, [reading.no_answer] * with_none)
        probabilities = softmax(scores[None] / self.temperature)[0].tolist()
        found = zip(reading.texts, reading.spans, probabilities, strict=False)
        answers = [SpanAnswer(text, *span, each, reading.margin) for text, span, each in found]
        if with_none:
            answers.append(SpanAnswer("", None, None, probabilities[-1], reading.margin))
        return answers


class SpanAnswers(Answers):
    """An answer to each of N questions.

    Args:
        readings: the best spans of each passage.
        choice: takes one of them.
        language: by whose measure answers are compared; "auto" finds it from the questions.

    Attributes:
        chosen: N answers.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        choice: SpanChoice,
        language: Language | Literal["auto"] = "auto",
    ) -> None:
        self.readings, self.choice = readings, choice
        self.chosen = [choice.best(reading) for reading in readings]
        self._language = language

    @property
    def judged_by(self) -> str:
        """The mean F1 of words."""
        return "f1"

    def figures(self, rows: Sequence[Question]) -> dict[str, Any]:
        """Return exact match and F1, shares from 0 to 1, over all questions and those of each kind.

        `best_f1` is what F1 would be with the threshold `best_null_threshold`.
        """
        answers = {str(number): _texts(row) for number, row in enumerate(rows)}
        predictions = {str(number): each.text for number, each in enumerate(self.chosen)}
        figures = {
            "questions": len(rows),
            **answer_scores(predictions, answers, self.language(rows)),
            "answerable_rate": float(np.mean([bool(row.answers) for row in rows])),
            "answered_rate": float(np.mean([bool(each.text) for each in self.chosen])),
        }
        if self.choice.may_abstain:
            best = self.best_null_threshold(rows)
            figures["best_null_threshold"], figures["best_f1"] = best
        return figures

    def best_null_threshold(self, rows: Sequence[Question]) -> tuple[float, float]:
        """Return the margin above which no answer is better, and the mean F1 then (SQuAD 2.0).

        It lies midway to the next margin.
        """
        f1 = _f1_of(self.language(rows))
        texts = [reading.texts[0] if reading.spans else "" for reading in self.readings]
        margins = [reading.margin for reading in self.readings]
        threshold, mean = best_threshold(
            margins,
            [f1(text, _texts(row)) for text, row in zip(texts, rows, strict=True)],
            [f1("", _texts(row)) for row in rows],
        )
        above = min((each for each in margins if threshold < each < inf), default=threshold)
        return (threshold + above) / 2, mean

    def tallies(self, rows: Sequence[Question]) -> dict[str, Tallies]:
        """Return what each question adds to the mean F1."""
        f1 = _f1_of(self.language(rows))
        each = [f1(own.text, _texts(row)) for own, row in zip(self.chosen, rows, strict=True)]
        return {"f1": share_tallies(each)}

    def findings(
        self, rows: Sequence[Question], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return tables by kind of question, calibration, and the surest errors."""
        return span_findings(rows, self.chosen, self.language(rows))

    def shown(self, rows: Sequence[Question]) -> list[ShownRow]:
        """Return questions with right and given answers, as a person reads them; "": none."""
        right = [row.answers[0].text if row.answers else "" for row in rows]
        return shown_rows([row.question for row in rows], right, [one.text for one in self.chosen])

    def degenerate(self, rows: Sequence[Question]) -> str | None:
        """Return a sentence where no question gets an answer, or all get one at the same start."""
        given = self.chosen
        right = [tuple(_texts(row)) for row in rows]
        by_text = one_answer(right, [each.text for each in given], "questions", _shown(given))
        places = [tuple(answer.start for answer in row.answers) for row in rows]
        starts = [each.start for each in given]
        first = f"one from character {starts[0]} on"
        return by_text or one_answer(places, starts, "questions", first)

    def language(self, rows: Sequence[Question]) -> Language:
        """Return the language by whose measure answers are compared with the right ones."""
        return language_of(rows) if self._language == "auto" else self._language


def language_of(rows: Sequence[Question]) -> Language:
    """Return "chinese" where most letters of the questions are Han."""
    letters = Counter("".join(row.question for row in rows[:_SAMPLE]))
    rates = script_rates(letters) if letters else {}
    return "chinese" if rates.get("Han", 0.0) > 0.5 else "english"


def _shown(given: Sequence[SpanAnswer]) -> str:
    return f"'{given[0].text}'" if given[0].text else "none"


def _f1_of(language: Language) -> Callable[[str, Sequence[str]], float]:
    return chinese_f1 if language == "chinese" else word_f1


def _texts(row: Question) -> list[str]:
    return [answer.text for answer in row.answers]
