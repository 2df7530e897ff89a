"""The part of a text file that foretext writes, between two marks, so that it can be replaced.

What people write before the first mark or after the last one stays. The last mark has a digest of
the part, so that a part that somebody has changed is not replaced. Both marks are comments of
HTML, which Markdown does not show.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["marked", "marked_part", "replaced"]

FIRST = (
    "<!-- foretext writes this card again, up to the last mark, by `report RUN --lang en` or `zh`; "
    "your own text before or after the marks stays -->"
)
LAST = "<!-- end of foretext's card {digest} -->"
DIGITS = 16  # of the digest

_PART = re.compile(
    f"{re.escape(FIRST)}\n(.*)"
    + re.escape(LAST.format(digest="|")).replace(r"\|", f"([0-9a-f]{{{DIGITS}}})"),
    re.DOTALL,
)


def marked(part: str) -> str:
    """Return a part, which ends with a line feed, between its marks.

    >>> print(marked("# A card\\n").splitlines()[1])
    # A card
    """
    return f"{FIRST}\n{part}{LAST.format(digest=_digest(part))}\n"


def marked_part(text: str) -> str | None:
    """Return the part of a file's text that is between marks as foretext wrote it; else None."""
    found = _PART.search(text)
    return found[1] if found is not None and found[2] == _digest(found[1]) else None


def replaced(text: str, part: str) -> str | None:
    """Return a file's text with a new part between its marks; None if the old one was changed."""
    if marked_part(text) is None:
        return None
    return _PART.sub(lambda _: marked(part).removesuffix("\n"), text, count=1)


def _digest(part: str) -> str:
    return hashlib.sha256(part.encode()).hexdigest()[:DIGITS]
