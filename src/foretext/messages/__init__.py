"""What foretext says to a person, in each language: one catalogue.

``en/AREA.toml`` and ``zh/AREA.toml`` hold the same keys with the same placeholders, which a test
checks. ``message("objectives.masked_lm.title")`` is ``title`` of the table ``[masked_lm]`` there.
"""

from foretext.messages.catalogue import (
    LANGUAGES,
    Language,
    MessageTable,
    in_language,
    language,
    message,
    messages_of,
    system_language,
)

__all__ = [
    "LANGUAGES",
    "Language",
    "MessageTable",
    "in_language",
    "language",
    "message",
    "messages_of",
    "system_language",
]
