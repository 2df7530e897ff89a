"""The page that describes the routes, without anything from elsewhere."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
