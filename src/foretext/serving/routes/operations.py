"""Routes for those who run a server: health, facts and metrics."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
