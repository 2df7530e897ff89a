"""A gap in a text, as a model reads it that writes what is missing."""

from __future__ import annotations

from typing import NamedTuple

from foretext.objectives.reading import Reading

__all__ = ["Gap"]


class Gap(NamedTuple):
    """What is read before the missing tokens are written, and what comes after them."""

    reading: Reading
    ends: tuple[int, ...]  # ids one of which comes right after the missing tokens
