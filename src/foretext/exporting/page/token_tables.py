"""How a raw text is split into tokens, as tables for a browser: the class of each character.

Browsers have different versions of Unicode, and so different letters; the page gets the classes
by which Python itself splits, as runs of equal ones.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from foretext.corpus.text_tokens import character_class
from foretext.exporting.page.character_runs import runs_of

__all__ = ["token_tables"]

_WORD = re.compile(r"\w")


@cache
def token_tables() -> dict[str, Any]:
    """Return what ``static/engine/text_tokens.js`` splits by, as JSON has it.

    ``starts`` is the first code point of each run, ``classes`` a letter for each run (those of
    `foretext.corpus.text_tokens`), ``words`` whether its characters are of a word, 0 or 1.
    """
    runs = runs_of(_kind)
    return {
        "starts": [start for start, _ in runs],
        "classes": "".join(kind for _, (kind, _) in runs),
        "words": "".join(word for _, (_, word) in runs),
    }


def _kind(character: str) -> tuple[str, str]:
    """Return the class of a character, and "0" or "1"."""
    return character_class(character), str(int(_WORD.match(character) is not None))
