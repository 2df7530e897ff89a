"""A task in the settings of a config.json: ours as theirs, and theirs as ours."""

from __future__ import annotations

from typing import Any, NamedTuple

from foretext.heads.base import Head
from foretext.interop.family import Settings
from foretext.interop.task_heads import TaskHead

__all__ = ["Said", "said_of_task", "says_same", "task_keys"]

ONE_LABEL, LABEL_SETS, NUMBER = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)
UNMARKED: Settings = {"shared_tokens": False}  # their programs mark no tokens
MIN_LENGTH = 16  # of a row, in the settings of every task


class Said(NamedTuple):
    """The name, settings and findings of a task of ours."""

    name: str
    settings: Settings
    found: dict[str, Any]


def task_keys(head: TaskHead, task: Head) -> Settings:
    """Return their settings for a task of ours."""
    keys: Settings = {"architectures": [head.their_class], **head.marks}
    if head.dropout is not None:
        keys[head.dropout] = task.config.dropout
    if not head.has_layers:
        return keys
    if head.pooling is not None:
        keys["problem_type"] = _problem_type(task.found)
    labels = task.found.get("labels")
    if labels:
        keys["id2label"] = {str(place): label for place, label in enumerate(labels)}
        keys["label2id"] = {label: place for place, label in enumerate(labels)}
    elif head.pooling is not None:
        keys |= {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}  # one number
    return keys


def said_of_task(
    theirs: Settings, head: TaskHead, num_outputs: int, *, bias: bool, of_pairs: bool
) -> Said:
    """Return the task that a folder of theirs describes.

    Args:
        theirs: its settings.
        head: its class.
        num_outputs: of its last layer.
        bias: whether that layer has one.
        of_pairs: whether labels belong to pairs of texts, which no setting says.

    Raises:
        ValueError: with half a sentence, foretext has no such task.
    """
    if not head.has_layers:
        raise ValueError(f'{head.their_class} has no head, and "foretext" names no task')
    length: int = theirs.get("max_position_embeddings") or theirs.get("n_positions") or 512
    settings: Settings = {"max_length": max(MIN_LENGTH, length)}
    if head.dropout is not None:
        dropout = theirs.get(head.dropout)
        settings["dropout"] = theirs.get("hidden_dropout_prob", 0.1) if dropout is None else dropout
    if head.tasks[0] == "span_qa":
        if num_outputs != 2:
            raise ValueError(f"{num_outputs} scores for a position are not the two ends of a span")
        return Said("span_qa", settings | UNMARKED, {})
    labels = _labels(theirs, num_outputs)
    if head.pooling is None:
        return Said("tagging", settings, {"labels": labels})
    settings |= {"pooling": head.pooling, "bias": bias}
    kind = theirs.get("problem_type") or (NUMBER if num_outputs == 1 else ONE_LABEL)
    if kind == NUMBER:
        if num_outputs > 1:
            raise ValueError(f"{num_outputs} numbers for an answer are not supported, only one is")
        return Said("matching", settings | UNMARKED | {"mode": "pair"}, {})
    if of_pairs and kind == ONE_LABEL:
        return Said("matching", settings | UNMARKED | {"mode": "pair"}, {"labels": labels})
    return Said("classification", settings, {"labels": labels, "multi_label": kind == LABEL_SETS})


def says_same(theirs: Settings, head: TaskHead, num_outputs: int, own: Settings) -> bool:
    """Whether "foretext" still describes a folder that others may have changed.

    Raises:
        ValueError: with half a sentence, its labels cannot be used.
    """
    task, found = own.get("task"), own.get("found")
    if not (isinstance(task, dict) and isinstance(found, dict) and task.get("name") in head.tasks):
        return False
    if not head.has_layers:
        return True
    if head.pooling is not None and (head.pooling, theirs.get("problem_type")) != (
        task.get("pooling"),
        _problem_type(found),
    ):
        return False
    labels = found.get("labels")
    return not labels or _labels(theirs, num_outputs) == labels


def _labels(theirs: Settings, num_outputs: int) -> list[str]:
    """Return their labels in order; `LABEL_0` and so on where labels have no names.

    Raises:
        ValueError: with half a sentence, there are not as many as outputs, or two are equal.
    """
    names = theirs.get("id2label")
    if names is None:
        return [f"LABEL_{place}" for place in range(num_outputs)]
    if not isinstance(names, dict) or set(names) != {str(place) for place in range(num_outputs)}:
        raise ValueError(f"id2label does not name the {num_outputs} outputs, from 0")
    labels = [str(names[str(place)]) for place in range(num_outputs)]
    if len(set(labels)) < num_outputs:
        raise ValueError("id2label gives the same name to two outputs")
    return labels


def _problem_type(found: dict[str, Any]) -> str:
    if not found.get("labels"):
        return NUMBER
    return LABEL_SETS if found.get("multi_label") else ONE_LABEL
