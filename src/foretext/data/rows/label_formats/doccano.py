"""doccano: JSON lines with a text and its labels, or with spans as arrays or as objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foretext.data.rows.label_formats.label_format import (
    LabelTask,
    LineFormat,
    PlainRow,
    json_text,
)

__all__ = ["Doccano"]

LISTS = ("label", "labels", "entities", "annotations")  # of spans
OFFSETS = ("start_offset", "end_offset")


class Doccano(LineFormat):
    """A text a line, as its JSONL has it; what a model suggests are labels to correct."""

    name = "doccano"

    def plain(self, values: Mapping[str, Any]) -> PlainRow | None:
        """Return the row of a line, if it is one with spans."""
        found = _plain(values)
        return None if found is values else PlainRow(found)

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield a text a line."""
        for task in tasks:
            if task.spans is None:
                label: list[Any] = list(map(str, task.labels))
            else:
                label = [list(each) for each in task.spans]
            own = {**task.pair(), **task.own_tokens(), **task.facts()}
            yield f"{json_text({'text': task.text, 'label': label, **own})}\n"


def _plain(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row of a line of doccano, if it is one with spans."""
    text = values.get("text", values.get("data"))
    name = next((name for name in LISTS if isinstance(values.get(name), list)), None)
    if not isinstance(text, str) or name is None or "spans" in values:
        return values
    spans = [_doccano_span(each) for each in values[name]]
    if None in spans:
        return values if "text" in values else {**values, "text": text}
    others = {key: value for key, value in values.items() if key != name or not spans}
    return {**others, "text": text, "spans": spans}


def _doccano_span(given: Any) -> dict[str, Any] | None:
    """Return a span, which is an array or an object; None: it is neither."""
    if isinstance(given, list) and len(given) == 3:
        return dict(zip(("start", "end", "label"), given, strict=True))
    if isinstance(given, dict) and all(name in given for name in OFFSETS):
        start, end = (given[name] for name in OFFSETS)
        return {"start": start, "end": end, "label": given.get("label")}
    return None
