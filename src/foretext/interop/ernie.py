"""ERNIE (Sun et al. 2019) as `transformers` stores it: BERT under other names.

What foretext pretrains in this way is saved as BERT, which more programs open.
"""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.interop.bert import Bert
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import affine

__all__ = ["Ernie"]


class Ernie(Bert):
    """ERNIE 1.0, and later ones without vectors of tasks."""

    model_type = "ernie"
    backbone_class = "ErnieModel"

    required: ClassVar = {**Bert.required, "use_task_id": False}

    prefix = "ernie."
    pair_head_rows = (
        *affine("next_sentence.pooler", "ernie.pooler.dense"),
        *affine("next_sentence.classifier", "cls.seq_relationship", layout="reversed"),
    )
    task_heads = (
        TaskHead(
            "ErnieForSequenceClassification",
            OF_TEXTS,
            (*affine("head.pooler", "ernie.pooler.dense"), *affine("classifier", "classifier")),
            pooling="cls",
            dropout="classifier_dropout",
        ),
        TaskHead(
            "ErnieForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        TaskHead("ErnieForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("ErnieModel"),
    )
    unused = (
        r"(ernie\.)?(embeddings\.(position_ids|token_type_ids|task_type_embeddings\.weight)"
        r"|pooler\.dense\.\w+)|cls\.seq_relationship\.\w+|(classifier|qa_outputs)\..+"
    )

    def head_class(self, head: Any) -> str:
        """Return their class; ErnieForPreTraining has next-sentence prediction."""
        return "ErnieForPreTraining" if head.next_sentence else "ErnieForMaskedLM"
