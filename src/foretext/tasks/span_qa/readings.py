"""What was found in the passages of questions: the best spans over all windows of each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.heads.best_spans import best_spans

if TYPE_CHECKING:
    from foretext.tasks.model import Outputs
    from foretext.tasks.span_qa.question_windows import QuestionWindows

__all__ = ["Reading", "SpanAnswer", "read_spans"]

_AT_ONCE = 256  # rows


class SpanAnswer(NamedTuple):
    """A span of a passage, or no answer."""

    text: str  # "": no answer
    start: int | None  # first character of the passage
    end: int | None  # the first character after the answer
    probability: float  # among the candidates
    no_answer_margin: float  # score of no answer minus that of the best span

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        probability = round(self.probability, 6)
        return {"text": self.text, "start": self.start, "end": self.end, "probability": probability}


class _Candidates(NamedTuple):
    """The K best spans of W rows, as tokens of their passages."""

    starts: NDArray[np.int64]  # (W, K)
    ends: NDArray[np.int64]  # (W, K) of the last token
    scores: NDArray[np.float32]  # (W, K); -inf: no span


class Reading(NamedTuple):
    """The K best spans of one passage for one question, the best first."""

    texts: list[str]  # K
    spans: list[tuple[int, int]]  # characters of the passage, the second one excluded
    scores: NDArray[np.float64]  # (K,) logits, start + end
    no_answer: float  # the same of the first position, of that window where it is lowest

    @property
    def margin(self) -> float:
        """Score of no answer minus that of the best span; infinite where there is no span."""
        return self.no_answer - float(self.scores[0]) if self.spans else float("inf")

    @classmethod
    def of(cls, context: str, offsets: NDArray[np.int32], found: _Candidates, null: float) -> Self:
        """Turn token spans, (K,) each and the best first, into spans of characters."""
        scores: dict[tuple[int, int], float] = {}
        starts, ends = offsets[found.starts, 0].tolist(), offsets[found.ends, 1].tolist()
        for start, end, score in zip(starts, ends, found.scores.tolist(), strict=True):
            span = _trimmed(context, start, end)
            if span[0] < span[1]:
                scores.setdefault(span, score)
        texts = [context[slice(*span)] for span in scores]
        return cls(texts, list(scores), np.array(list(scores.values()), np.float64), null)

    @classmethod
    def of_span(cls, context: str, span: tuple[int, int] | None) -> Self:
        """Return the reading of what knows no scores: this span, or no answer."""
        if span is None:
            return cls([], [], np.zeros(0), 0.0)
        return cls([context[slice(*span)]], [span], np.ones(1), 0.0)


def read_spans(
    windows: QuestionWindows,
    contexts: Sequence[str],
    outputs: Outputs,
    *,
    max_answer_length: int,
    num_best: int,
) -> list[Reading]:
    """Return the best spans of each of N questions.

    Args:
        windows: of the questions.
        contexts: N passages.
        outputs: logits (T, 2) of each row of the windows.
        max_answer_length: tokens of a span.
        num_best: spans of a question.
    """
    found = _search(windows, outputs, max_answer_length, num_best)
    nulls = np.array([output[0].sum() for output in outputs], np.float64)
    bounds = np.searchsorted(windows.owners, np.arange(len(contexts) + 1))
    return [
        Reading.of(
            context,
            windows.passages[number].offsets,
            _merged(found, slice(*bounds[number : number + 2]), num_best),
            float(nulls[slice(*bounds[number : number + 2])].min()),
        )
        for number, context in enumerate(contexts)
    ]


def _search(
    windows: QuestionWindows, outputs: Outputs, max_length: int, num_best: int
) -> _Candidates:
    """Search rows of similar length together."""
    shape = (len(outputs), num_best)
    whole = _Candidates(
        np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.full(shape, -np.inf, np.float32)
    )
    for rows in _batches(windows.sizes):
        logits = _of_passages(windows, outputs, rows)
        found = best_spans(logits[..., 0], logits[..., 1], max_length, num_best)
        width = found.scores.shape[1]
        firsts = windows.firsts[rows, None]
        whole.starts[rows, :width] = found.starts + firsts
        whole.ends[rows, :width] = found.ends + firsts
        whole.scores[rows, :width] = found.scores
    return whole


def _batches(sizes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    order = np.argsort(sizes, kind="stable")
    for start in range(0, len(order), _AT_ONCE):
        yield order[start : start + _AT_ONCE]


def _of_passages(
    windows: QuestionWindows, outputs: Outputs, rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the logits of the passages' tokens only, (W, T, 2), -inf as padding."""
    logits = np.full((len(rows), max(windows.sizes[rows].max(), 1), 2), -np.inf, np.float32)
    for place, row in enumerate(rows.tolist()):
        start, size = windows.passage_starts[row], windows.sizes[row]
        logits[place, :size] = outputs[row][start : start + size]
    return logits


def _merged(found: _Candidates, rows: slice, num_best: int) -> _Candidates:
    """Return the best spans of some rows, (K,) each; a span of two rows counts once."""
    starts, ends = found.starts[rows].ravel(), found.ends[rows].ravel()
    scores = found.scores[rows].ravel()
    order = np.argsort(-scores, kind="stable")
    order = order[np.isfinite(scores[order])]
    _, firsts = np.unique((starts[order] << 32) + ends[order], return_index=True)
    order = order[np.sort(firsts)][:num_best]
    return _Candidates(starts[order], ends[order], scores[order])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave white space out, and take in the accents that belong to the last letter."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
