"""How good answers to questions are, by the measure of their language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Literal

import numpy as np

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.one_answer import one_answer
from foretext.classifiers.span_baseline import LexicalSpanBaseline
from foretext.corpus.scripts import script_rates
from foretext.data.rows import Question
from foretext.metrics.paired import Tallies, share_tallies
from foretext.metrics.span_qa import (
    answer_scores,
    best_threshold,
    chinese_f1,
    word_f1,
)
from foretext.task_models.readings import Reading, SpanAnswer

__all__ = [
    "Language",
    "answer_figures",
    "answer_tallies",
    "best_null_threshold",
    "language_of",
    "no_answer",
    "same_answers",
    "span_baseline",
]

Language = Literal["english", "chinese"]

_SAMPLE = 1000  # questions that the script is found from


def language_of(rows: Sequence[Question]) -> Language:
    """Return "chinese" where most letters of the questions are Han."""
    letters = Counter("".join(row.question for row in rows[:_SAMPLE]))
    rates = script_rates(letters) if letters else {}
    return "chinese" if rates.get("Han", 0.0) > 0.5 else "english"


def answer_figures(
    rows: Sequence[Question], given: Sequence[str], language: Language
) -> dict[str, Any]:
    """Return exact match and F1 of one answer to each question, and how many have answers."""
    answers = {str(number): _texts(row) for number, row in enumerate(rows)}
    predictions = {str(number): text for number, text in enumerate(given)}
    return {
        "questions": len(rows),
        **answer_scores(predictions, answers, language),
        "answerable_rate": float(np.mean([bool(row.answers) for row in rows])),
        "answered_rate": float(np.mean([bool(text) for text in given])),
    }


def best_null_threshold(
    rows: Sequence[Question], readings: Sequence[Reading], language: Language
) -> tuple[float, float]:
    """Return the margin above which no answer is better, and the mean F1 then (SQuAD 2.0).

    It lies midway to the next margin.
    """
    f1 = _f1_of(language)
    texts = [reading.texts[0] if reading.spans else "" for reading in readings]
    margins = [reading.margin for reading in readings]
    threshold, mean = best_threshold(
        margins,
        [f1(text, _texts(row)) for text, row in zip(texts, rows, strict=True)],
        [f1("", _texts(row)) for row in rows],
    )
    above = min((each for each in margins if threshold < each < inf), default=threshold)
    return (threshold + above) / 2, mean


def span_baseline(rows: Sequence[Question]) -> Baseline:
    """Learn which words say little; answers are near the words of the question."""
    learned = LexicalSpanBaseline().fit(rows)

    def answers(others: Sequence[Question]) -> list[Reading]:
        spans = zip(others, learned.spans(others), strict=True)
        return [Reading.of_span(row.context, span) for row, span in spans]

    return Baseline("words near those of the question", answers)


def no_answer(rows: Sequence[Question]) -> Baseline | None:
    """Leave every question without an answer; None where all of these rows have one."""
    if all(row.answers for row in rows):
        return None
    return Baseline("no answer", lambda others: [Reading.of_span("", None) for _ in others])


def answer_tallies(
    rows: Sequence[Question], given: Sequence[str], language: Language
) -> dict[str, Tallies]:
    """Return what each question adds to the mean F1."""
    f1 = _f1_of(language)
    return {
        "f1": share_tallies([f1(text, _texts(row)) for text, row in zip(given, rows, strict=True)])
    }


def same_answers(rows: Sequence[Question], given: Sequence[SpanAnswer]) -> str | None:
    """Return a sentence where no question gets an answer, or all get one at the same place."""
    right = [tuple(_texts(row)) for row in rows]
    by_text = one_answer(right, [each.text for each in given], "questions", _shown(given))
    places = [tuple(answer.start for answer in row.answers) for row in rows]
    starts = [each.start for each in given]
    return by_text or one_answer(places, starts, "questions", f"one from character {starts[0]} on")


def _shown(given: Sequence[SpanAnswer]) -> str:
    return f"'{given[0].text}'" if given[0].text else "none"


def _f1_of(language: Language) -> Callable[[str, Sequence[str]], float]:
    return chinese_f1 if language == "chinese" else word_f1


def _texts(row: Question) -> list[str]:
    return [answer.text for answer in row.answers]
