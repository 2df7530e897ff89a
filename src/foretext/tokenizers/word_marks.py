"""Where words begin among sub-words, by the marks of each kind of tokenizer.

WordPiece marks tokens that continue a word (`##ing`), byte-level BPE and Unigram those that follow
a space (`Ġcat`, `▁cat`), character-level BPE those that end a word (`cat</w>`). Each punctuation
mark and Han character is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np

from foretext.base.errors import SettingError
from foretext.corpus.pre_tokenizers import HAN
from foretext.tokenizers.byte_pieces import byte_letters
from tokenizers import Tokenizer, decoders, models

__all__ = ["METASPACE", "WordMarks", "byte_text", "is_byte_level"]

METASPACE = "▁"
HAN_CHARACTER = re.compile(f"[{HAN}]")
HAN_LEADS = range(0xE4, 0xEA)  # first bytes of U+4000 to U+9FFF in UTF-8


class WordMarks(NamedTuple):
    """A word begins at a token that opens one, or after a token that closes one.

    The first token of a text always begins a word.
    """

    opens: np.ndarray  # (V,) bool
    closes: np.ndarray  # (V,) bool

    @classmethod
    def of(cls, library: Tokenizer, tokens: Sequence[str]) -> Self:
        """Find the marks of tokens, given by id.

        Raises:
            SettingError: the tokenizer has no marks.
        """
        marks = _marks(library, tokens)
        return cls(*(np.array(column, np.bool_) for column in zip(*marks, strict=True)))

    def starts(self, ids: np.ndarray) -> np.ndarray:
        """(..., T) bool for ids (..., T), where words begin."""
        starts: np.ndarray = self.opens[ids]
        starts[..., 1:] |= self.closes[ids[..., :-1]]
        starts[..., :1] = True
        return starts


def _marks(library: Tokenizer, tokens: Sequence[str]) -> list[tuple[bool, bool]]:
    """(opens, closes) of each token."""
    model = library.model
    if isinstance(model, models.WordLevel):
        return [(True, True)] * len(tokens)
    if prefix := getattr(model, "continuing_subword_prefix", None):  # foreign: of tokenizers
        return [(not token.startswith(prefix), False) for token in tokens]
    if suffix := getattr(model, "end_of_word_suffix", None):  # foreign
        return [(False, token.endswith(suffix)) for token in tokens]
    if is_byte_level(library):
        return [_marks_of_text(byte_text(token)) for token in tokens]
    if any(token.startswith(METASPACE) for token in tokens):
        return [_marks_of_text(token.replace(METASPACE, " ")) for token in tokens]
    raise SettingError(
        "This tokenizer does not mark where words begin; mask tokens instead of whole words, or "
        "learn a wordpiece, bpe or unigram tokenizer."
    )


def is_byte_level(library: Tokenizer) -> bool:
    """Whether each character of a token stands for a byte."""
    if isinstance(library.decoder, decoders.ByteLevel):
        return True
    cut = library.pre_tokenizer
    return cut is not None and b'"ByteLevel"' in cut.__getstate__()


def byte_text(token: str) -> str:
    """Return the text of a byte-level token; a part of a Han character counts as one."""
    bytes_of = _bytes_of_letters()
    data = bytes(bytes_of[letter] for letter in token if letter in bytes_of)
    text = data.decode("utf-8", "replace")
    if text.startswith("\ufffd") and data[0] in HAN_LEADS:
        return "一" + text
    return text


def _marks_of_text(text: str) -> tuple[bool, bool]:
    return (
        text[:1].isspace() or _stands_alone(text[:1]),
        _stands_alone(text[-1:]),
    )


def _stands_alone(character: str) -> bool:
    if not character or character == "\ufffd":
        return False
    return unicodedata.category(character)[0] in "PS" or bool(HAN_CHARACTER.match(character))


@cache
def _bytes_of_letters() -> dict[str, int]:
    return {bytes(row[row > 0]).decode(): byte for byte, row in enumerate(byte_letters())}
