"""Tasks that were learned, in use: one class a task."""

from foretext.registry import Registry

__all__ = ["TASK_MODELS"]

TASK_MODELS = Registry(
    "task",
    {
        "classification": "foretext.task_models.classifier:TextClassifier",
        "matching": "foretext.task_models.matcher:TextMatcher",
        "tagging": "foretext.task_models.tagger:Tagger",
        "span_qa": "foretext.task_models.reader:SpanReader",
    },
)
