"""The routes of OpenAI's server below ``/v1/``."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
