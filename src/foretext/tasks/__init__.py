"""What is learned from labelled rows: a folder for each task, and the models that answer rows."""

from __future__ import annotations

from foretext.base.registry import Registry

__all__ = ["CLASSIFIERS", "TASKS", "is_predictor", "is_task"]

TASKS = Registry(
    "task",
    {
        "classification": "foretext.tasks.classification.network:TextClassifier",
        "matching": "foretext.tasks.matching.network:TextMatcher",
        "tagging": "foretext.tasks.tagging.network:Tagger",
        "span_qa": "foretext.tasks.span_qa.network:SpanReader",
        "text_to_text": "foretext.tasks.text_to_text.network:TextWriter",
        "sentence_vectors": "foretext.tasks.sentence_vectors.network:SentenceEncoder",
    },
)

CLASSIFIERS = Registry(  # without a network of PyTorch, by the kind that their config.json names
    "classifier",
    {
        "fasttext classifier": "foretext.tasks.fasttext.classifier:FastTextClassifier",
        "linear classifier": "foretext.tasks.classification.linear:LinearClassifier",
    },
)


def is_task(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `TaskModel`: of the table, or "module:Class"."""
    return kind is not None and (kind in TASKS or ":" in kind)


def is_predictor(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `Predictor`: a `TaskModel`, or another classifier."""
    return is_task(kind) or kind in CLASSIFIERS
