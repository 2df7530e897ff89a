"""Routes of words and of what stands between words: neighbours, analogies, maps, filled masks."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from foretext.serving.abilities.neighbors import NeighborsOptions
from foretext.serving.service import Service

__all__ = ["router"]

router = APIRouter()


class NeighborsBody(BaseModel):
    """Words, and how many neighbours of each."""

    words: list[str] = Field(min_length=1)
    k: int = Field(default=10, ge=1)
    model: str | None = None


@router.post("/neighbors")
async def neighbors(body: NeighborsBody, request: Request) -> dict[str, Any]:
    """Return the nearest words of each word, with their cosines."""
    options = NeighborsOptions(body.k)
    service = Service.of(request)
    answered = await service.answer(request, "neighbors", body.words, options, model=body.model)
    return dict(zip(body.words, answered.answers, strict=True))
