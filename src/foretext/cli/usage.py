"""What typer says of wrong arguments, in the reader's language.

Typer and pydantic say it in English alone. ``usage.toml`` has the forms of their sentences; one
that has no form there stays as it is.
"""

from __future__ import annotations

import re
from string import Formatter

from foretext.messages import language, message, messages_of

__all__ = ["usage_said"]

NESTED = "problem"  # a placeholder whose text is such a sentence, too


def usage_said(text: str) -> str | None:
    """Return a sentence about wrong arguments, without its full stop; None: it is not known."""
    if language() == "en":
        return text
    for key, form in messages_of("usage", "en").items():
        if (match := re.fullmatch(_pattern(form), text, re.DOTALL)) is not None:
            values = match.groupdict()
            if NESTED in values:
                values[NESTED] = usage_said(values[NESTED]) or values[NESTED]
            return message(f"usage.{key}", **{n: _joined(v) for n, v in values.items()})
    return None


def _pattern(form: str) -> str:
    parts = Formatter().parse(form)
    return "".join(
        re.escape(text) + ("" if name is None else f"(?P<{name}>.+)") for text, name, _, _ in parts
    )


def _joined(value: str) -> str:
    """Return names in a list as typer writes it, without its line ends."""
    return re.sub(r",\s+", ", ", value)
