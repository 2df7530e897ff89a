"""Prodigy: JSON lines with options to accept, or with tokens and spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foretext.data.rows.label_formats.label_format import (
    LabelTask,
    LineFormat,
    PlainRow,
    json_text,
)

__all__ = ["Prodigy"]

ANSWERS = ("accept", "reject", "ignore")
OWN = ("_task_hash", "_input_hash", "accept", "spans")  # one of them stands beside an answer


class Prodigy(LineFormat):
    """A task a line, as `db-in` and `db-out` have it."""

    name = "prodigy"
    marks_suggestions = True

    def plain(self, values: Mapping[str, Any]) -> PlainRow | None:
        """Return the row of a line that somebody has answered, or that waits for an answer."""
        is_own = values.get("answer") in ANSWERS and any(name in values for name in OWN)
        return _plain(values) if is_own or _is_suggestion(values) else None

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield a task a line, accepted where somebody has labelled it."""
        for task in tasks:
            own = _spans(task) if task.is_tagged else _choice(task)
            done = {"answer": "accept"} if task.is_labelled else {"meta": task.facts()}
            yield f"{json_text({'text': task.text, **task.pair(), **own, **done})}\n"


def _choice(task: LabelTask) -> dict[str, Any]:
    names = list(map(str, task.choices))
    options = {"options": [{"id": name, "text": name} for name in names]} if names else {}
    is_chosen = task.labels or task.is_labelled
    return {**options, **({"accept": list(map(str, task.labels))} if is_chosen else {})}


def _spans(task: LabelTask) -> dict[str, Any]:
    tokens = task.tokens or ()
    first = {token.start: number for number, token in enumerate(tokens)}
    last = {token.end: number for number, token in enumerate(tokens)}
    spans = []
    for start, end, label in task.spans or ():
        span = {"start": start, "end": end, "label": label}
        if start in first and end in last:
            span |= {"token_start": first[start], "token_end": last[end]}
        spans.append(span)
    if task.tokens is None:
        return {"spans": spans}
    return {
        "tokens": [
            {
                "text": token.text, "start": token.start, "end": token.end, "id": number,
                "ws": task.text[token.end : token.end + 1].isspace(),
            }
            for number, token in enumerate(tokens)
        ],
        "spans": spans,
    }  # fmt: skip


def _plain(values: Mapping[str, Any]) -> PlainRow:
    """Return the row of a line of Prodigy; only what was accepted is labelled."""
    plain = {**values}
    if isinstance(values.get("accept"), list):
        plain["label"] = values["accept"]
    if plain.get("spans") is None:
        plain["spans"] = []
    tokens = values.get("tokens")
    if isinstance(tokens, list) and all(isinstance(each, dict) for each in tokens):
        words = [each.get("text") for each in tokens]
        plain["tokens"] = [word for word in words if not isinstance(word, str) or word.strip()]
    return PlainRow(plain, values.get("answer") == "accept")


def _is_suggestion(values: Mapping[str, Any]) -> bool:
    """Whether this is a line that `lines` wrote, and that nobody has answered."""
    meta = values.get("meta")
    return "answer" not in values and isinstance(meta, dict) and {"priority", "why"} <= {*meta}
