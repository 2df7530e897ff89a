"""Where words begin among sub-words, read off the marks that each kind of tokenizer leaves.

WordPiece marks what continues a word (`##ing`), byte-level BPE and the unigram model what follows
a blank (`Ġcat`, `▁cat`), character-level BPE what ends a word (`cat</w>`). Punctuation and Han
characters are words by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np

from foretext.corpus.pre_tokenizers import HAN
from foretext.errors import SettingError
from foretext.tokenizers.splitters import byte_letters
from tokenizers import Tokenizer, decoders, models

__all__ = ["WordMarks"]

METASPACE = "▁"
HAN_CHARACTER = re.compile(f"[{HAN}]")
HAN_LEADS = range(0xE4, 0xEA)  # first bytes of U+4000 to U+9FFF in UTF-8


class WordMarks(NamedTuple):
    """What tokens say of words: a word begins at a token that opens one, or after one that closes.

    The first token of a text begins a word whatever it is.
    """

    opens: np.ndarray  # (V,) bool
    closes: np.ndarray  # (V,) bool

    @classmethod
    def of(cls, library: Tokenizer, tokens: Sequence[str]) -> Self:
        """Read the marks off the tokens, given by id.

        Raises:
            SettingError: the tokenizer leaves no mark.
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
    if prefix := getattr(model, "continuing_subword_prefix", None):
        return [(not token.startswith(prefix), False) for token in tokens]
    if suffix := getattr(model, "end_of_word_suffix", None):
        return [(False, token.endswith(suffix)) for token in tokens]
    if _is_byte_level(library):
        return [_marks_of_text(_byte_text(token)) for token in tokens]
    if any(token.startswith(METASPACE) for token in tokens):
        return [_marks_of_text(token.replace(METASPACE, " ")) for token in tokens]
    raise SettingError(
        "This tokenizer does not mark where words begin; mask tokens instead of whole words, or "
        "learn one of kind wordpiece, bpe or unigram."
    )


def _is_byte_level(library: Tokenizer) -> bool:
    if isinstance(library.decoder, decoders.ByteLevel):
        return True
    cut = library.pre_tokenizer
    return cut is not None and b'"ByteLevel"' in cut.__getstate__()


def _byte_text(token: str) -> str:
    """Text of a byte-level token; a piece of a Han character counts as one."""
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
