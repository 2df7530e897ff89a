"""How text is split before sub-words are learned: for our counter and for `tokenizers` alike.

A splitter does two things: it gives the counter of `foretext.corpus` a text that it can count
(`utf8` and `letters`), and it names the parts of the `tokenizers` library that split in the same
way when the tokenizer is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from foretext.kernels.letters import Letters
from foretext.shards.portable import Portable

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

__all__ = ["Splitter"]


class Splitter(Protocol):
    """How text is split; learning sub-words needs this."""

    @property
    def letters(self) -> Letters:
        """Tables of the word counter."""
        ...

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, the text as the word counter reads it."""
        ...

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        ...

    def library_normalizer(self) -> Normalizer | None:
        """The library's normaliser; None: characters stay as they are."""
        ...

    def library_pre_tokenizer(self) -> PreTokenizer:
        """The library's pre-tokeniser."""
        ...
