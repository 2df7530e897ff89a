"""How many there are of something, in words that are right for one, too."""

from __future__ import annotations

from foretext.messages import message

__all__ = ["counted", "number_of"]


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


def number_of(noun: str, number: int) -> str:
    """Return the same in the reader's language, of what the messages of ``counts`` name.

    >>> number_of("row", 2)
    '2 rows'
    """
    return message(f"counts.{noun}.{'one' if number == 1 else 'many'}", number=number)
