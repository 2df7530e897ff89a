"""What a body can be taught: one class a task, and the baselines that it has to beat."""

from foretext.registry import Registry

__all__ = ["TASKS"]

TASKS = Registry(
    "task",
    {
        "classification": "foretext.tasks.classification:Classification",
        "matching": "foretext.tasks.matching:Matching",
        "tagging": "foretext.tasks.tagging:Tagging",
        "span_qa": "foretext.tasks.span_qa:SpanQA",
    },
)
