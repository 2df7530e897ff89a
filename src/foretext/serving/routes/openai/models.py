"""What there is to ask: the served models."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from foretext.serving.errors import Loading
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service

__all__ = ["router"]

router = APIRouter()


@router.get("/models")
async def all_models(request: Request) -> dict[str, Any]:
    """Return all models; the field `model` of other requests is an id of these."""
    models = Service.of(request).models
    if models.is_loading:
        raise Loading("The models are being loaded; ask again in a moment.")
    return {"object": "list", "data": [_facts(model) for model in models]}


@router.get("/models/{name:path}")
async def one_model(name: str, request: Request) -> dict[str, Any]:
    """Return one of the models."""
    return _facts(Service.of(request).models.find(name, ability=""))


def _facts(model: ServedModel) -> dict[str, Any]:
    """Return what OpenAI says of a model, and what it does; vLLM has the length, too."""
    length = model.model.learned_length if "generate" in model.abilities else None
    return {
        "id": model.name,
        "object": "model",
        "created": model.opened_at,
        "owned_by": "foretext",
        "kind": model.kind,
        "abilities": model.abilities,
        "max_model_len": length,
    }
