"""Spans of passages as answers to questions: which is chosen, and how good the choice is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from foretext.corpus.scripts import script_rates
from foretext.data.rows import Question
from foretext.messages import message, translated
from foretext.metrics import chinese_exact_match, exact_match, softmax
from foretext.metrics.paired import Tallies, share_tallies
from foretext.metrics.span_qa import answer_scores, best_threshold, chinese_f1, word_f1
from foretext.tasks.answers import Answers, ShownRow, excerpt, one_answer, shown_rows
from foretext.tasks.confusion import reliability
from foretext.tasks.span_qa.readings import Reading, SpanAnswer

__all__ = [
    "SpanAnswers",
    "SpanChoice",
    "language_of",
    "marked_passage",
    "question_word",
    "span_findings",
]

_SAMPLE = 1000  # questions that the script is found from

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

Piece = list[str]  # a text, and "right", "given" or "both"; "": it belongs to no answer
Span = tuple[int, int]  # characters, the second one excluded

REACH = 120  # characters that are shown on either side of an answer
BEGINNING = 300  # characters of a passage without an answer
CUT = "…"


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
        return self.candidates(reading)[self._chosen(reading)]

    def ranked(self, reading: Reading) -> list[SpanAnswer]:
        """Return all answers: the best one, then the others, the most probable first."""
        found = self.candidates(reading)
        best = found.pop(self._chosen(reading))
        return [best, *sorted(found, key=lambda answer: -answer.probability)]

    def _chosen(self, reading: Reading) -> int:
        """Return which of the candidates is the best answer."""
        return -1 if self.may_abstain and reading.margin > self.null_threshold else 0

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
        first = message("findings.degenerate.one_from", start=starts[0])
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
    return f"'{given[0].text}'" if given[0].text else translated("none")


def _f1_of(language: Language) -> Callable[[str, Sequence[str]], float]:
    return chinese_f1 if language == "chinese" else word_f1


def _texts(row: Question) -> list[str]:
    return [answer.text for answer in row.answers]


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


def marked_passage(text: str, right: Span | None, given: Span | None) -> list[Piece]:
    """Return the pieces of a passage around two answers, in one line; None: there is none."""
    spans = [span for span in (right, given) if span is not None]
    shown = list(_merged(text, spans)) or [(0, min(BEGINNING, len(text)))]
    pieces: list[Piece] = [[CUT, ""]] if shown[0][0] > 0 else []
    for start, end in shown:
        pieces += _pieces(text, start, end, right, given)
        if end < len(text):
            pieces.append([CUT, ""])
    return pieces


def _merged(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield what is shown around spans, in order; parts that meet are one."""
    parts = sorted((_first(text, start), _last(text, end)) for start, end in spans)
    if len(parts) == 2 and parts[1][0] <= parts[0][1]:
        parts = [(parts[0][0], max(parts[0][1], parts[1][1]))]
    yield from parts


def _first(text: str, start: int) -> int:
    """Return where the part before a span begins: at a word, where blanks part words."""
    first = max(start - REACH, 0)
    return text.find(" ", first, start) + 1 or first if first else 0


def _last(text: str, end: int) -> int:
    last = min(end + REACH, len(text))
    blank = text.rfind(" ", end, last)
    return blank if last < len(text) and blank >= 0 else last


def _pieces(
    text: str, start: int, end: int, right: Span | None, given: Span | None
) -> Iterator[Piece]:
    bounds = {start, end, *(right or ()), *(given or ())}
    inside = sorted(bound for bound in bounds if start <= bound <= end)
    for first, last in pairwise(inside):
        is_right, is_given = _covers(right, first), _covers(given, first)
        mark = "both" if is_right and is_given else "right" if is_right else "given"
        yield [re.sub(r"\s+", " ", text[first:last]), mark if is_right or is_given else ""]


def _covers(span: Span | None, place: int) -> bool:
    return span is not None and span[0] <= place < span[1]
