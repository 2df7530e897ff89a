"""Facts of a model under the names that clients of text-embeddings-inference read in ``/info``.

github.com/huggingface/text-embeddings-inference, `Info` in `router/src/lib.rs`. Its clients cut
texts and lists by these numbers, and choose what they ask by the first name in `model_type`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext._version import __version__
from foretext.serving.settings import ServingConfig

__all__ = ["tei_info"]


def tei_info(model: Mapping[str, Any], settings: ServingConfig) -> dict[str, Any]:
    """Return what a client may rely on.

    Args:
        model: what `ServedModel.info` says of it.
        settings: of the server.
    """
    return {
        "model_id": model["name"],
        "model_sha": None,
        "model_dtype": "float32",
        "model_type": _model_type(model),
        "max_concurrent_requests": settings.max_requests,
        # A model that reads texts of any length reads what a request may have.
        "max_input_length": model.get("max_length") or settings.max_request_tokens,
        "max_batch_tokens": settings.max_batch_tokens,
        "max_batch_requests": None,
        "max_client_batch_size": settings.max_inputs,
        "auto_truncate": True,
        "tokenization_workers": 1,
        "version": __version__,
        "sha": None,
        "docker_label": None,
    }


def _model_type(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kind of a model and its facts; of one that it has no kind for, foretext's own."""
    abilities = model["abilities"]
    if "embed" in abilities:
        return {"embedding": {"pooling": model.get("pooling", "mean")}}
    if "rerank" in abilities:
        return {"reranker": _labels(model.get("labels") or ["score"])}
    if "predict" in abilities and model.get("labels"):
        return {"classifier": _labels(model["labels"])}
    return {model["kind"]: {}}


def _labels(names: Sequence[str]) -> dict[str, Any]:
    return {
        "id2label": {str(place): name for place, name in enumerate(names)},
        "label2id": {name: place for place, name in enumerate(names)},
    }
