"""Records of a task as predictions of text-embeddings-inference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

__all__ = ["Prediction", "predictions_of"]


class Prediction(BaseModel):
    """A label, and how probable it is."""

    score: float
    label: str


def predictions_of(record: Mapping[str, Any]) -> Any:
    """Return labels, or a single score, as its clients know them; any other record as it is."""
    if "labels" in record:
        return [
            {"score": each.get("logit", each.get("probability")), "label": str(each["label"])}
            for each in record["labels"]
        ]
    return [{"score": record["score"], "label": "score"}] if "score" in record else record
