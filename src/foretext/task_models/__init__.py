"""Trained tasks in use: one class a task, with all that foretext knows of that task."""

from __future__ import annotations

from foretext.classifiers import CLASSIFIERS
from foretext.registry import Registry

__all__ = ["TASKS", "is_predictor", "is_task"]

TASKS = Registry(
    "task",
    {
        "classification": "foretext.task_models.classifier:TextClassifier",
        "matching": "foretext.task_models.matcher:TextMatcher",
        "tagging": "foretext.task_models.tagger:Tagger",
        "span_qa": "foretext.task_models.reader:SpanReader",
        "text_to_text": "foretext.task_models.text_writer:TextWriter",
        "sentence_vectors": "foretext.task_models.sentence_encoder:SentenceEncoder",
    },
)


def is_task(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `TaskModel`: of the table, or "module:Class"."""
    return kind is not None and (kind in TASKS or ":" in kind)


def is_predictor(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `Predictor`: a `TaskModel`, or another classifier."""
    return is_task(kind) or kind in CLASSIFIERS
