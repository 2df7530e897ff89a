"""How many there are of something, in words that are right for one, too."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with what it counts.

    Args:
        number: 0 or more.
        one: what is counted, in the singular.
        several: in the plural; None: with an s.

    >>> counted(1, "row"), counted(2000, "row"), counted(2, "entry", "entries")
    ('1 row', '2,000 rows', '2 entries')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
