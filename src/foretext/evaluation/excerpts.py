"""Texts cut short, for people to see what a row was about."""

from __future__ import annotations

__all__ = ["excerpt"]

LONGEST = 300  # characters


def excerpt(text: str, place: int = 0) -> str:
    """Return 300 characters of a text around the one at `place`, on one line."""
    start = max(min(place - LONGEST // 2, len(text) - LONGEST), 0)
    end = start + LONGEST
    plain = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{plain}{'…' if end < len(text) else ''}"
