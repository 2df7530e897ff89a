"""How a model reads a text that it continues, and which tokens the text must or must not have.

A causal model reads the text, and the state of the newest token predicts the next one. A model that
was trained to fill masks can continue a text, too: a mask is put after the newest token, its state
predicts what stands there, and then the mask is forgotten (Dong et al. 2019, 2.4). A model with an
encoder reads a source first, and its text begins with a start token.
"""

from __future__ import annotations

from typing import NamedTuple

from foretext.data.batch import Visibility

__all__ = ["Reading", "Writing"]


class Reading(NamedTuple):
    """What is read beside the text itself, and in which segments."""

    opening: tuple[int, ...] = ()  # ids before the text: a start token, or a prefix
    mask: int | None = None  # id that is read in place of the next token; None: nothing is
    opening_segment: int | None = None  # None: the backbone's first
    text_segment: int | None = None
    opening_visibility: Visibility = "causal"  # "full": its ids look at each other in both ways
    source: tuple[int, ...] | None = None  # ids that an encoder reads; None: there is no encoder
    first: int | None = None  # id of the first token, which is never predicted (BART)
    last: int | None = None  # id that is put at the last place for which there is room (BART)
    never: tuple[int, ...] = ()  # ids that are never predicted (Marian's padding)

    def room(self, max_length: int) -> int:
        """Return the tokens of the text for which a model of `max_length` positions has room."""
        return max_length - len(self.opening) - (self.mask is not None)


class Writing(NamedTuple):
    """Ids that a published model writes with, where they are not those that its objective has."""

    start: int  # that its decoder reads before the first token
    end: int  # of an output
    first: int | None = None  # as of `Reading`
    last: int | None = None
    never: tuple[int, ...] = ()
