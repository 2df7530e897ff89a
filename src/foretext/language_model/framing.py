"""A text's ids as the model met texts in pretraining: ``[CLS] text [SEP]``, or the text alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from foretext.data.batch import Visibility
from foretext.errors import SettingError
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Framing"]


class Framing(NamedTuple):
    """What stands around a text, and how much text a row holds."""

    prefix: list[int]  # ids
    suffix: list[int]
    max_length: int  # positions, of which prefix and suffix take some

    @classmethod
    def of(cls, tokenizer: SubwordTokenizer, visibility: Visibility, max_length: int) -> Self:
        """Find the frame of a tokenizer's texts.

        A model that sees to the left gets what the tokenizer itself puts before a text, such as
        Llama's ``<s>``, and nothing behind it.
        """
        special = tokenizer.special
        if visibility == "causal":
            before = [special.start, special.cls]
            added = tokenizer.library.encode("").ids
            return cls([token for token in added if token in before], [], max_length)
        prefix = [] if special.cls is None else [special.cls]
        return cls(prefix, [] if special.sep is None else [special.sep], max_length)

    @property
    def room(self) -> int:
        """Tokens of a text that a row holds."""
        return self.max_length - len(self.prefix) - len(self.suffix)

    def around(self, ids: Sequence[int]) -> list[int]:
        """Return the ids with prefix and suffix."""
        return [*self.prefix, *ids, *self.suffix]

    def windows(self, ids: Sequence[int], overlap: int) -> list[list[int]]:
        """Cut ids into framed rows, each of which begins `overlap` tokens before the last one ends.

        Nothing comes of no ids.
        """
        step = self.room - overlap
        starts = range(0, max(len(ids) - overlap, 1), step) if ids else ()
        return [self.around(ids[start : start + self.room]) for start in starts]

    def check_overlap(self, overlap: int | None) -> int:
        """Return the tokens that windows share; None is an eighth of a window.

        Raises:
            SettingError: windows that share so many would not move on.
        """
        if overlap is None:
            return self.room // 8
        if not 0 <= overlap < self.room:
            raise SettingError(
                f"overlap = {overlap}: windows have {self.room} tokens; take 0 to {self.room - 1}."
            )
        return overlap
