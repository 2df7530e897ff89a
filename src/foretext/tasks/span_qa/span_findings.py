"""Answers to questions beside the right ones: by kind of question, and the worst errors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from foretext.data.rows import Question
from foretext.metrics import chinese_exact_match, chinese_f1, exact_match, word_f1
from foretext.tasks.confusion import reliability
from foretext.tasks.excerpts import excerpt
from foretext.tasks.span_qa.marked_passage import marked_passage
from foretext.tasks.span_qa.readings import SpanAnswer

__all__ = ["Language", "question_word", "span_findings"]

Language = Literal["english", "chinese"]

MOST_ERRORS = 50

_MEASURES = {"english": (exact_match, word_f1), "chinese": (chinese_exact_match, chinese_f1)}
_QUESTION_WORDS = {
    "english": re.compile(
        r"\b(how many|how much|how long|how|who|whom|whose|what|which|when|where|why)\b",
        re.IGNORECASE,
    ),
    "chinese": re.compile("为什么|为何|怎么|怎样|如何|什么|多少|多大|多长|哪|谁|几|何"),
}


class _Judged(NamedTuple):
    """A question, its answer and how good that is, shares from 0 to 1."""

    row: Question
    answer: SpanAnswer
    exact_match: float
    f1: float


def span_findings(
    rows: Sequence[Question], answers: Sequence[SpanAnswer], language: Language
) -> dict[str, Any]:
    """Return tables by question word and by whether there is an answer, and the surest errors.

    Args:
        rows: questions with their right answers.
        answers: one each.
        language: by whose measure they are compared.
    """
    judged = [_judged(row, given, language) for row, given in zip(rows, answers, strict=True)]
    wrong = sorted(
        (each for each in judged if not each.exact_match), key=lambda each: -each.answer.probability
    )
    right = [bool(each.exact_match) for each in judged]
    by_word = _grouped(judged, "question word", lambda row: question_word(row.question, language))
    by_answer = _grouped(judged, "has an answer", lambda row: "yes" if row.answers else "no")
    tables = [{"title": "Kinds of questions", "rows": by_word}]
    if len(by_answer) > 1:
        tables.append({"title": "Questions with and without an answer", "rows": by_answer})
    return {
        "tables": tables,
        **reliability([each.answer.probability for each in judged], right),
        "num_errors": len(wrong),
        "questions": [_error(each) for each in wrong[:MOST_ERRORS]],
    }


def question_word(question: str, language: Language) -> str:
    """Return the first question word, such as "who"; "other" where there is none."""
    found = _QUESTION_WORDS[language].search(question)
    return found[0].lower() if found else "other"


def _judged(row: Question, answer: SpanAnswer, language: Language) -> _Judged:
    right = [each.text for each in row.answers]
    return _Judged(row, answer, *(measure(answer.text, right) for measure in _MEASURES[language]))


def _grouped(
    judged: Sequence[_Judged], name: str, group: Callable[[Question], str]
) -> list[dict[str, Any]]:
    """Return a row for each group, the largest first."""
    groups: defaultdict[str, list[_Judged]] = defaultdict(list)
    for each in judged:
        groups[group(each.row)].append(each)
    return [
        {
            name: key,
            "questions": len(members),
            "exact_match": float(np.mean([each.exact_match for each in members])),
            "f1": float(np.mean([each.f1 for each in members])),
        }
        for key, members in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _error(judged: _Judged) -> dict[str, Any]:
    row, answer = judged.row, judged.answer
    right = [span for each in row.answers if (span := _span(each.start, each.text))]
    return {
        "question": excerpt(row.question),
        "passage": marked_passage(
            row.context, right[0] if right else None, _span(answer.start, answer.text)
        ),
        "right": list(dict.fromkeys(excerpt(each.text) for each in row.answers)),
        "given": excerpt(answer.text),
        "probability": answer.probability,
        "f1": judged.f1,
        "place": row.place,
    }


def _span(start: int | None, text: str) -> tuple[int, int] | None:
    return None if start is None else (start, start + len(text))
