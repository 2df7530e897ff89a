"""JSON lines for a program of one's own: texts with a label, or tokens with tags or spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from foretext.data.rows.label_formats.label_format import (
    LabelTask,
    LineFormat,
    json_text,
    rounded,
)

__all__ = ["JsonLines"]


class JsonLines(LineFormat):
    """An object a line, as foretext itself reads rows."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")
    marks_suggestions = True

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield an object a task."""
        for task in tasks:
            own = _spans(task) if task.is_tagged else _label(task)
            yield f"{json_text({**task.texts, **own, **task.facts()})}\n"


def _label(task: LabelTask) -> dict[str, Any]:
    answer = task.labels[0] if len(task.labels) == 1 else [*task.labels] or None
    if task.is_labelled:
        return {"label": [] if answer is None else answer}
    return {"label": None, "suggested": answer, "probability": rounded(task.probability)}


def _spans(task: LabelTask) -> dict[str, Any]:
    """Return tokens with their tags, or, where there are none, the offsets of the spans."""
    spans = [
        {"start": start, "end": end, "label": label, "text": task.text[start:end]}
        for start, end, label in task.spans or ()
    ]
    answer = {"tags": list(task.tags)} if task.tags else {"spans": spans}
    if task.is_labelled:
        return {**task.own_tokens(), **answer}
    (suggested,) = answer.values()
    empty = "spans" if task.tokens is None else "tags"  # a person fills it in
    return {**task.own_tokens(), empty: None, "suggested": suggested}
