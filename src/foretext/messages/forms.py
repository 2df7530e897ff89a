"""Sentences that others compose in English, in the reader's language: each is found by its form.

The English messages of an area are patterns, whose placeholders match any text; the first that
fits a whole text names the message.
"""

from __future__ import annotations

import re
from string import Formatter

from foretext.messages.catalogue import language, message, messages_of

__all__ = ["said_by_form"]

NESTED = "problem"  # a placeholder whose text is such a sentence, too


def said_by_form(area: str, text: str) -> str | None:
    """Return a text that has the form of a message of an area; None: it has none of their forms.

    >>> said_by_form("usage", "Missing command")
    'Missing command'
    """
    if language() == "en":
        return text
    for key, form in messages_of(area, "en").items():
        if (match := re.fullmatch(_pattern(form), text, re.DOTALL)) is not None:
            values = match.groupdict()
            if NESTED in values:
                values[NESTED] = said_by_form(area, values[NESTED]) or values[NESTED]
            return message(f"{area}.{key}", **{n: _joined(v) for n, v in values.items()})
    return None


def _pattern(form: str) -> str:
    parts = Formatter().parse(form)
    return "".join(
        re.escape(text) + ("" if name is None else f"(?P<{name}>.+)") for text, name, _, _ in parts
    )


def _joined(value: str) -> str:
    """Return names in a list without the line ends that typer writes between them."""
    return re.sub(r",\s+", ", ", value)
