"""Names of sub-words for people, the same for every kind of tokenizer: "ship", and "##s" inside.

WordPiece writes its tokens so. Byte-level BPE and Unigram mark the beginning of a word in place of
its inside: `Ġship` and `▁ship` become "ship", and `s` becomes "##s".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from foretext.tokenizers.alphabet import written
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.byte_pieces import byte_letters
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_marks import METASPACE, byte_text, is_byte_level
from foretext.tokenizers.wordpiece import PREFIX
from tokenizers import decoders

__all__ = ["marked_token", "namer", "shown_token", "token_names"]

BLANK = "▁"  # in place of a blank, so that people see it


def token_names(tokenizer: SubwordTokenizer) -> list[str]:
    """Return a name for each token, by id, each of them once.

    A token that has no text of its own, or the same one as a token before it, keeps the name that
    the tokenizer has for it. So do all tokens where the tokenizer marks no words.
    """
    tokens = tokenizer.tokens
    names = tokens if _marks_insides(tokenizer) else _by_text(tokenizer)
    taken: set[str] = set()
    found = []
    for index, (name, token) in enumerate(zip(names, tokens, strict=True)):
        free = next(form for form in (name, token, f"[id {index}]") if form and form not in taken)
        taken.add(free)
        found.append(free)
    return found


def _marks_insides(tokenizer: SubwordTokenizer) -> bool:
    """Whether tokens have their names already, or nothing says where words begin."""
    library, tokens = tokenizer.library, tokenizer.tokens
    by_blanks = is_byte_level(library) or any(token.startswith(METASPACE) for token in tokens)
    return not by_blanks


def _by_text(tokenizer: SubwordTokenizer) -> list[str]:
    library = tokenizer.library
    texts = [
        byte_text(token) if is_byte_level(library) else token.replace(METASPACE, " ")
        for token in tokenizer.tokens
    ]
    opens = tokenizer.word_marks.opens
    ordinary = tokenizer.ordinary
    return [
        _name(text, begins) if is_text else ""
        for text, begins, is_text in zip(texts, opens, ordinary, strict=True)
    ]


def _name(text: str, begins: bool) -> str:
    bare = text.strip()
    if not bare or "\ufffd" in text:
        return ""
    return bare if begins else f"{PREFIX}{bare}"


def marked_token(tokenizer: SubwordTokenizer, token: str) -> str:
    """Return a token as text in which blanks are visible."""
    return shown_token(tokenizer, token).replace(" ", BLANK)


def shown_token(tokenizer: SubwordTokenizer, token: str) -> str:
    """Return a token as text; of bytes that are no whole character as ``<E6><BC>``."""
    if not isinstance(tokenizer.library.decoder, decoders.ByteLevel):
        return token
    text: str = tokenizer.library.decoder.decode([token])
    if "\ufffd" not in text:
        return text
    return "".join(f"<{_bytes_by_letter()[letter]:02X}>" for letter in token)


@cache
def _bytes_by_letter() -> dict[str, int]:
    letters = byte_letters()
    return {bytes(row[row > 0]).decode(): byte for byte, row in enumerate(letters)}


def namer(tokenizer: Tokenizer, spelling: NDArray[np.uint8] | None = None) -> Callable[[int], str]:
    """Return what names an id for people.

    Args:
        tokenizer: of V ids.
        spelling: (U, K) of words whose ids follow these; None: there are none.
    """
    tokens = tokenizer.tokens

    @cache
    def name(index: int) -> str:
        if index >= len(tokens):
            return f"[{index}]" if spelling is None else written(spelling[index - len(tokens)])
        if tokenizer.kind == "words":
            return tokens[index]
        return marked_token(cast(SubwordTokenizer, tokenizer), tokens[index])

    return name
