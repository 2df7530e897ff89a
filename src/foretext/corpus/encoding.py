"""The name of a text encoding, as a setting."""

from __future__ import annotations

import codecs
from typing import Annotated

from pydantic import AfterValidator

__all__ = ["Encoding", "is_of_text"]

# These can decode to surrogates, or cannot decode piece by piece.
_OF_PROGRAMS = {"utf-7", "punycode", "idna", "unicode-escape", "raw-unicode-escape"}


def is_of_text(name: str) -> bool:
    """Whether Python knows a text encoding of this name, which decodes piece by piece."""
    try:
        "".encode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        return False
    return codecs.lookup(name).name.replace("_", "-") not in _OF_PROGRAMS


def _known(name: str) -> str:
    if not is_of_text(name):
        raise ValueError(
            "Python knows no such text encoding; try 'utf-8', 'cp1252', 'latin-1', 'gb18030' or "
            "'utf-16'"
        )
    return name


Encoding = Annotated[str, AfterValidator(_known)]
