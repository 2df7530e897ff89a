"""The name of a text encoding, as a setting."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

__all__ = ["Encoding"]


def _known(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError(
            "Python knows no such text encoding; try 'utf-8', 'cp1252', 'latin-1', 'gb18030' or "
            "'utf-16'"
        ) from None
    return name


Encoding = Annotated[str, AfterValidator(_known)]
