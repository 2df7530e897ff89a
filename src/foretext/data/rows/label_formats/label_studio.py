"""Label Studio: tasks with predictions and annotations, as its JSON and JSON-MIN have them.

Its editor counts characters; older ones counted UTF-16 code units, which reading detects
(`foretext.data.rows.spans`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foretext.data.rows.label_formats.label_format import (
    LabelTask,
    LineFormat,
    PlainRow,
    json_text,
    rounded,
)

__all__ = ["LabelStudio", "results_of"]

CONTROL = "label"  # the name of <Choices> or <Labels>
ANNOTATIONS = ("annotations", "completions")  # the second before Label Studio 1.0
SPAN_TYPES = ("labels", "hypertextlabels")


class LabelStudio(LineFormat):
    """An array of tasks."""

    name = "label-studio"
    suffixes = (".json",)
    marks_suggestions = True

    def plain(self, values: Mapping[str, Any]) -> PlainRow | None:
        """Return the row of a task, or of a flat object of JSON-MIN."""
        if isinstance(values.get("data"), dict) and any(
            isinstance(values.get(name), list) for name in (*ANNOTATIONS, "predictions")
        ):
            return _of_task(values)
        if "annotation_id" in values and ("annotator" in values or "lead_time" in values):
            return _of_flat_task(values)
        return None

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield one array, a task a line: with annotations, or else with predictions."""
        yield "["
        for number, task in enumerate(tasks):
            yield (",\n" if number else "\n") + json_text(_task(task))
        yield "\n]\n"


def results_of(
    task: LabelTask, from_name: str, to_name: str, type_name: str | None = None
) -> list[dict[str, Any]]:
    """Return the answer of a task as Label Studio's regions.

    Args:
        task: with labels, or with spans.
        from_name: the name of the control, <Choices> or <Labels>.
        to_name: the name of the text that it labels.
        type_name: of the control; None: choices or labels.
    """
    control = {"from_name": from_name, "to_name": to_name}
    if task.spans is None:
        if not task.labels:
            return []
        chosen: dict[str, Any] = {"choices": list(map(str, task.labels))}
        return [{"id": "0", **control, "type": "choices", "value": chosen}]
    kind, text = type_name or "labels", task.text
    return [
        {
            "id": str(number), **control, "type": kind,
            "value": {"start": start, "end": end, "text": text[start:end], kind: [label]},
        }
        for number, (start, end, label) in enumerate(task.spans)
    ]  # fmt: skip


def _task(task: LabelTask) -> dict[str, Any]:
    data = {**task.texts, **task.own_tokens(), **task.facts()}
    result = results_of(task, CONTROL, next(iter(task.texts)))
    if task.is_labelled:
        return {"data": data, "annotations": [{"result": result, "was_cancelled": False}]}
    if not result and not task.is_tagged:
        return {"data": data, "predictions": []}
    score = {} if task.probability is None else {"score": rounded(task.probability)}
    return {
        "data": data,
        "predictions": [{"model_version": "foretext", **score, "result": result}],
    }


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
    own = _of_results(best["result"])
    kept = {name: value for name, value in values["data"].items() if name != "label"}
    return PlainRow({**kept, **own})


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
