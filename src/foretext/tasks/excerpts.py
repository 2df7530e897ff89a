"""Texts cut short for the tables of a report."""

from __future__ import annotations

__all__ = ["excerpt"]

LONGEST = 300  # characters


def excerpt(text: str, place: int = 0) -> str:
    """Return 300 characters of a text around the one at `place`, on one line."""
    start = max(min(place - LONGEST // 2, len(text) - LONGEST), 0)
    end = start + LONGEST
    plain = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{plain}{'…' if end < len(text) else ''}"
