"""Machine code of a kernel, and how it is called."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ObjectCode"]


class ObjectCode(NamedTuple):
    """A compiled kernel as an object file, and how it is called."""

    content: bytes
    symbol: str
    returns: list[str]  # numpy's names of the numbers that it returns
    as_tuple: bool
