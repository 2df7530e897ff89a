"""What is learned from labelled rows: a folder for each task, and the models that answer rows."""

from __future__ import annotations

from foretext.base.registry import Registry

__all__ = ["TASKS", "WITHOUT_NETWORK", "is_predictor", "is_task"]

TASKS = Registry(
    "task",
    {
        "classification": "foretext.tasks.classification.task:Classification",
        "matching": "foretext.tasks.matching.task:Matching",
        "tagging": "foretext.tasks.tagging.task:Tagging",
        "span_qa": "foretext.tasks.span_qa.task:SpanQA",
        "text_to_text": "foretext.tasks.text_to_text.task:TextToText",
        "sentence_vectors": "foretext.tasks.sentence_vectors.task:SentenceVectors",
    },
)

WITHOUT_NETWORK = Registry(  # what needs no PyTorch, by the kind that its config.json names
    "model without a network",
    {
        "embedding classifier": (
            "foretext.tasks.classification.embeddings.classifier:EmbeddingClassifier"
        ),
        "fasttext classifier": "foretext.tasks.fasttext.classifier:FastTextClassifier",
        "linear classifier": "foretext.tasks.classification.linear:LinearClassifier",
        "linear matcher": "foretext.tasks.matching.linear:LinearMatcher",
        "linear tagger": "foretext.tasks.tagging.linear:LinearTagger",
    },
)


def is_task(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `TaskModel`: of the table, or "module:Class"."""
    return kind is not None and (kind in TASKS or ":" in kind)


def is_predictor(kind: str | None) -> bool:
    """Whether a folder of this kind holds a `Predictor`, with a network or without one."""
    return is_task(kind) or kind in WITHOUT_NETWORK
