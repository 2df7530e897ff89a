"""Routes of what has learned a task: tags, answers, translations and explanations."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
