"""What a page needs to say which characters a token stands for, as Python says it.

The package of npm gives tokens without positions. ``static/engine/located_tokens.js`` finds these;
it gets the normal form of the tokenizer, and classes of characters by which Python trims answers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

from foretext.corpus.decoding import Form

__all__ = ["offset_tables"]

_ASSIGNED = 0x34000  # no combining character and no white space stands behind these code points


def offset_tables(form: Form) -> dict[str, Any]:
    """Return what positions are found by, as JSON has it.

    ``marks`` are the combining characters, ``blanks`` the white space: of each, the code points at
    which such characters begin and end in turn.

    Args:
        form: the normal form that the tokenizer brings texts into.
    """
    return {"form": form, "marks": _bounds(_combines), "blanks": _bounds(str.isspace)}


@cache
def _bounds(belongs: Callable[[str], bool]) -> list[int]:
    inside = [False, *(belongs(chr(point)) for point in range(_ASSIGNED)), False]
    return [point for point, (one, other) in enumerate(pairwise(inside)) if one != other]


def _combines(character: str) -> bool:
    return unicodedata.combining(character) > 0
