"""What foretext says to a person, in each language: one catalogue.

``en/AREA.toml`` and ``zh/AREA.toml`` hold the same keys with the same placeholders, which a test
checks. ``message("objectives.masked_lm.title")`` is ``title`` of the table ``[masked_lm]`` there.
"""

from foretext.messages.catalogue import (
    LANGUAGES,
    TAGS,
    VARIABLE,
    Language,
    MessageTable,
    choose_language,
    chosen_language,
    has_message,
    in_language,
    language,
    message,
    messages_of,
    passed_on,
    system_language,
)
from foretext.messages.joining import clauses, commas, ended, listed, sentences
from foretext.messages.translation import translated

__all__ = [
    "LANGUAGES",
    "TAGS",
    "VARIABLE",
    "Language",
    "MessageTable",
    "choose_language",
    "chosen_language",
    "clauses",
    "commas",
    "ended",
    "has_message",
    "in_language",
    "language",
    "listed",
    "message",
    "messages_of",
    "passed_on",
    "sentences",
    "system_language",
    "translated",
]
