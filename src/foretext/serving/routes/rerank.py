"""Texts in the order of their relevance to a query, in the forms of two families of clients."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
