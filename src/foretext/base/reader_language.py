"""The language that a reader chooses from Python."""

from __future__ import annotations

from contextlib import AbstractContextManager

from foretext import messages
from foretext.base.arguments import checked_arguments
from foretext.base.errors import ArgumentError
from foretext.messages import LANGUAGES, Language, message

__all__ = ["in_language"]


@checked_arguments
def in_language(chosen: Language | None) -> AbstractContextManager[None]:
    """Let pages, cards and findings that are made within be in a language.

    Args:
        chosen: "en" or "zh"; None leaves the language as it is.

    Raises:
        ArgumentError: foretext does not speak it.
    """
    if chosen is not None and chosen not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        said = message("errors.unknown_language", given=repr(chosen), names=names)
        raise ArgumentError(said)
    return messages.in_language(chosen)
