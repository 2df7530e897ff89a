"""The JSON of programs in which people label texts, brought into the form of plain JSON rows.

Label Studio exports tasks (``JSON``) or flat objects (``JSON-MIN``), doccano lines with ``label``,
Prodigy lines with ``spans`` or ``accept`` and an ``answer``. Each becomes an object with its texts
under their names, ``label`` as a label or a list of labels, and ``spans`` as a list of objects with
``start``, ``end`` and ``label``, which are offsets in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["PlainRow", "plain_row"]

ANNOTATIONS = ("annotations", "completions")  # the second of Label Studio before 1.0
SPAN_TYPES = ("labels", "hypertextlabels")
ANSWERS = ("accept", "reject", "ignore")  # of Prodigy
PRODIGY = ("_task_hash", "_input_hash", "accept", "spans")  # one of them stands beside an answer
LISTS = ("label", "labels", "entities", "annotations")  # of doccano's spans
OFFSETS = ("start_offset", "end_offset")


class PlainRow(NamedTuple):
    """The values of a row, and whether a person has labelled it."""

    values: Mapping[str, Any]
    is_labelled: bool = True


def plain_row(values: Mapping[str, Any]) -> PlainRow:
    """Return the plain form of an object; one of no such program stays as it is."""
    if isinstance(values.get("data"), dict) and any(
        isinstance(values.get(name), list) for name in (*ANNOTATIONS, "predictions")
    ):
        return _of_task(values)
    if "annotation_id" in values and ("annotator" in values or "lead_time" in values):
        return _of_flat_task(values)
    if values.get("answer") in ANSWERS and any(name in values for name in PRODIGY):
        return _of_prodigy(values)
    return PlainRow(_of_doccano(values))


def _of_task(values: Mapping[str, Any]) -> PlainRow:
    """Return the row of a task of Label Studio, whose label is none of a prediction."""
    given = (values.get(name) for name in ANNOTATIONS)
    annotations = next((each for each in given if isinstance(each, list)), [])
    done = [
        each
        for each in annotations
        if isinstance(each, dict)
        and isinstance(each.get("result"), list)
        and not each.get("was_cancelled")
        and not each.get("skipped")
    ]
    if not done:
        return PlainRow(values["data"], is_labelled=False)
    best = next((each for each in done if each.get("ground_truth")), done[-1])
    return PlainRow({**values["data"], **_of_results(best["result"])})


def _of_results(results: list[Any]) -> dict[str, Any]:
    """Return labels and spans of one person's work on a task."""
    choices: dict[str, list[Any]] = {}
    spans: list[dict[str, Any]] = []
    for result in results:
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):  # such as a relation
            continue
        if isinstance(chosen := value.get("choices"), list):
            choices.setdefault(str(result.get("from_name")), []).extend(chosen)
        spans += _of_region(value)
    if len(choices) > 1:  # the user says which of them, by --label NAME
        return {**choices, "spans": spans}
    label = next(iter(choices.values()), [])
    return {**choices, "label": label, "spans": spans}


def _of_region(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the spans of a region, one for each of its labels."""
    kinds = (value.get(kind) for kind in SPAN_TYPES)
    names: list[Any] = next((names for names in kinds if isinstance(names, list)), [])
    found = {name: value[name] for name in ("start", "end", "text") if name in value}
    return [{**found, "label": name} for name in names]


def _of_flat_task(values: Mapping[str, Any]) -> PlainRow:
    """Return the row of an object of JSON-MIN, whose controls stand beside its data."""
    plain: dict[str, Any] = {"spans": []}
    for name, value in values.items():
        if isinstance(value, dict) and isinstance(value.get("choices"), list):
            plain[name] = value["choices"]
        elif _are_regions(value):
            plain["spans"] += [span for region in value for span in _of_region(region)]
        else:
            plain[name] = value
    return PlainRow(plain)


def _are_regions(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) and "start" in each and "end" in each for each in value)
    )


def _of_prodigy(values: Mapping[str, Any]) -> PlainRow:
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
    return PlainRow(plain, values["answer"] == "accept")


def _of_doccano(values: Mapping[str, Any]) -> Mapping[str, Any]:
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
