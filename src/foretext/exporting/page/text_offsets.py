"""What a page needs to say which characters a token stands for, as Python says it.

The package of npm gives tokens without positions. ``static/engine/located_tokens.js`` finds these;
it gets the normal form of the tokenizer, and classes of characters by which Python trims answers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

from foretext.corpus.decoding import Form
from foretext.exporting.page.character_runs import runs_of

__all__ = ["offset_tables"]


def offset_tables(form: Form) -> dict[str, Any]:
    """Return what positions are found by, as JSON has it.

    ``marks`` are the combining characters, ``blanks`` the white space: of each, the first code
    points of runs of other characters and of such in turn.

    Args:
        form: the normal form that the tokenizer brings texts into.
    """
    return {"form": form, "marks": _starts(_combines), "blanks": _starts(str.isspace)}


@cache
def _starts(belongs: Callable[[str], bool]) -> list[int]:
    return [start for start, _ in runs_of(belongs)]  # the null character belongs to neither


def _combines(character: str) -> bool:
    return unicodedata.combining(character) > 0
