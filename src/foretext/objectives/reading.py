"""How a model reads a text that it continues.

A causal model reads the text, and the state of the newest token predicts the next one. A model that
was trained to fill masks can continue a text, too: a mask is put after the newest token, its state
predicts what stands there, and then the mask is forgotten (Dong et al. 2019, 2.4).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Reading"]


class Reading(NamedTuple):
    """What is read beside the text itself, and in which segments."""

    opening: tuple[int, ...] = ()  # ids before the text, which look at each other in both ways
    mask: int | None = None  # id that is read in place of the next token; None: nothing is
    opening_segment: int | None = None  # None: the backbone's first
    text_segment: int | None = None

    def room(self, max_length: int) -> int:
        """Return the tokens of the text for which a model of `max_length` positions has room."""
        return max_length - len(self.opening) - (self.mask is not None)
