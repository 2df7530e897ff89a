"""What a tokenizer does not tell apart: case, accents, width."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["folding_sentence"]

FORMS = {
    "none": "characters stay as they are",
    "NFC": "characters in Unicode's form NFC",
    "NFKC": "full-width characters and ligatures become plain ones (NFKC)",
}


def folding_sentence(tokenizer: Mapping[str, Any], normalization: str) -> str:
    """Return what becomes of case, accents and width.

    Args:
        tokenizer: settings of the section `[tokenizer]`.
        normalization: of the section `[corpus]`.
    """
    lowercase = tokenizer.get("lowercase", False)
    case = {
        True: "all letters become lower case",
        False: "upper and lower case differ",
        "auto": "the case of letters stays where nouns begin with a capital letter",
    }[lowercase]
    accents = "accents are removed" if tokenizer.get("strip_accents", False) else "accents stay"
    return f"{case}, {accents}, {FORMS[normalization]}"
