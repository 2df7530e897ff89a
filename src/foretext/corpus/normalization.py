"""Unicode normal forms (Unicode Standard Annex 15), computed only where a text needs them."""

from __future__ import annotations

import unicodedata
from typing import Literal

__all__ = ["normalize"]


def normalize(text: str, form: Literal["none", "NFC", "NFKC"]) -> str:
    """Return `text` in the normal `form`.

    Most text is in NFC already and is returned unchanged; otherwise only the lines that are not are
    rewritten, which is correct because nothing composes across a line end.
    """
    if form == "none" or text.isascii() or unicodedata.is_normalized(form, text):
        return text
    return "\n".join(
        line if unicodedata.is_normalized(form, line) else unicodedata.normalize(form, line)
        for line in text.split("\n")
    )
