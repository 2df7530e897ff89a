"""Where an answer may begin and end, as parts to show: the scores of the tokens of a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foretext.messages import MessageTable
from foretext.shown import Grid, Note, Part, Table
from foretext.tasks.span_qa.answers import SpanChoice
from foretext.tasks.span_qa.readings import Reading
from foretext.vectors.insight import rounded

if TYPE_CHECKING:
    from foretext.tasks.model import Outputs
    from foretext.tasks.span_qa.question_windows import QuestionWindows

__all__ = ["reading_parts"]

_said = MessageTable("insight.spans")
MOST_SHOWN = 64  # tokens of the passage, around the best span
NUM_SPANS = 5
DIGITS = 4


def reading_parts(
    windows: QuestionWindows, outputs: Outputs, context: str, reading: Reading, choice: SpanChoice
) -> list[Part]:
    """Return the best spans of a passage, and the scores of its tokens.

    Args:
        windows: of one question.
        outputs: logits (T, 2) of each of them: that the answer begins there, and that it ends.
        context: the passage.
        reading: its best spans.
        choice: which of them is the answer.
    """
    best = choice.best(reading)
    margin = None if not reading.spans else reading.margin
    said = _said("note", answer=best.text or _said("none"), windows=len(outputs))
    parts: list[Part] = [Note(said)]
    if choice.may_abstain and margin is not None:
        parts.append(Note(_said("margin", margin=margin, threshold=choice.null_threshold)))
    parts.append(_table_of_spans(reading, choice))
    return [*parts, *_scores(windows, outputs, context, reading)]


def _table_of_spans(reading: Reading, choice: SpanChoice) -> Table:
    """Return the spans with the highest sums of both scores, and no answer where it may be."""
    candidates = choice.candidates(reading)
    scores = [*reading.scores.tolist(), reading.no_answer]
    chosen = [*range(min(len(reading.spans), NUM_SPANS))]
    if len(candidates) > len(reading.spans):
        chosen.append(len(candidates) - 1)
    rows = [
        (
            candidates[number].text or _said("none"),
            candidates[number].start,
            candidates[number].end,
            round(float(scores[number if number < len(reading.spans) else -1]), DIGITS),
            round(candidates[number].probability, DIGITS),
        )
        for number in chosen
    ]
    columns = _said.columns("span", "from", "to", "score", "probability")
    return Table.of(_said("spans"), columns, rows)


def _scores(
    windows: QuestionWindows, outputs: Outputs, context: str, reading: Reading
) -> list[Part]:
    """Return both scores of the tokens around the best span, in the window that has it best."""
    number, centre = _best_window(windows, outputs, reading)
    start, first = int(windows.passage_starts[number]), int(windows.firsts[number])
    size, offsets = int(windows.sizes[number]), windows.passages[0].offsets
    if not size:
        return []
    scores = outputs[number][start : start + size]  # (size, 2)
    begin = min(max(centre - MOST_SHOWN // 2, 0), max(size - MOST_SHOWN, 0))
    shown = slice(begin, begin + MOST_SHOWN)
    tokens = [context[a:b] for a, b in offsets[first : first + size][shown].tolist()]
    rows = [_said("begins"), _said("ends")]
    return [Grid.of(_said("grid"), rows, tokens, rounded(scores[shown].T))]


def _best_window(windows: QuestionWindows, outputs: Outputs, reading: Reading) -> tuple[int, int]:
    """Return the window in which the best span scores most, and the first of its tokens there.

    Without a span these are the first ones.
    """
    span = windows.passages[0].tokens_of(*reading.spans[0]) if reading.spans else None
    if span is None:
        return 0, 0
    best = (-np.inf, 0, 0)
    for number, output in enumerate(outputs):
        begins, ends = (token - int(windows.firsts[number]) for token in span)
        if begins >= 0 and ends < windows.sizes[number]:
            start = int(windows.passage_starts[number])
            score = float(output[start + begins, 0] + output[start + ends, 1])
            best = max(best, (score, number, begins))
    return best[1:]
