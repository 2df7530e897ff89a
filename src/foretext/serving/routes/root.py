"""POST / by the kind of the model, as huggingface_hub's `InferenceClient` asks it."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
