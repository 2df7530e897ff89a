"""The ids of a text as in pretraining: ``[CLS] text [SEP]``, or the text alone.

A pair is ``[CLS] first [SEP] second [SEP]``; for a causal model, the end token is between the two
(Radford et al. 2018, 3.3). XLNet has its `[CLS]` at the end (Yang et al. 2019, 2.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from foretext.base.errors import SettingError
from foretext.data.batch import Visibility
from foretext.tokenizers.base import Tokenizer

__all__ = ["Framing"]


class Framing(NamedTuple):
    """The special tokens around a text, and how much text a row has room for."""

    prefix: list[int]  # ids
    suffix: list[int]
    max_length: int  # positions of a row, with prefix and suffix
    between: list[int]  # ids between the texts of a pair

    @classmethod
    def of(cls, tokenizer: Tokenizer, visibility: Visibility, max_length: int) -> Self:
        """Return the special tokens around a tokenizer's texts.

        For a causal model these are the tokens that the tokenizer's template puts before a text,
        such as Llama's ``<s>``, and none after it. One that reads from both sides meets the token
        between two documents first, from either.
        """
        special = tokenizer.special
        if visibility == "causal":
            between = [] if special.end is None else [special.end]
            return cls(tokenizer.prefix, [], max_length, between)
        prefix = [] if special.cls is None else [special.cls]
        suffix = [] if special.sep is None else [special.sep]
        if tokenizer.cls_at_end:
            return cls([], [*suffix, *prefix], max_length, suffix)
        if visibility == "split":
            prefix = suffix
        return cls(prefix, suffix, max_length, tokenizer.between)

    @property
    def room(self) -> int:
        """Tokens of a text for which a row has room."""
        return self.max_length - len(self.prefix) - len(self.suffix)

    def around(self, ids: Sequence[int]) -> list[int]:
        """Return the ids with prefix and suffix."""
        return [*self.prefix, *ids, *self.suffix]

    @property
    def pair_room(self) -> int:
        """Tokens of both texts for which the row of a pair has room."""
        return self.room - len(self.between)

    def around_pair(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """Return the ids of a pair with all special tokens."""
        return [*self.prefix, *first, *self.between, *second, *self.suffix]

    def second_starts(self, first: Sequence[int]) -> int:
        """Return the position in the row of a pair at which the second text begins."""
        return len(self.prefix) + len(first) + len(self.between)

    def windows(self, ids: Sequence[int], overlap: int) -> list[list[int]]:
        """Split ids into framed rows; each begins `overlap` tokens before the last one ends.

        Without ids there are no rows.
        """
        step = self.room - overlap
        starts = range(0, max(len(ids) - overlap, 1), step) if ids else ()
        return [self.around(ids[start : start + self.room]) for start in starts]

    def check_overlap(self, overlap: int | None) -> int:
        """Return the tokens that windows share; None is an eighth of a window.

        Raises:
            SettingError: windows with so much overlap would not advance.
        """
        if overlap is None:
            return self.room // 8
        if not 0 <= overlap < self.room:
            raise SettingError(
                f"overlap = {overlap}: windows have {self.room} tokens; use 0 to {self.room - 1}."
            )
        return overlap
