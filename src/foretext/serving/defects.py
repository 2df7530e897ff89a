"""What the log says of a defect: where it is, and its message only where texts may be logged."""

from __future__ import annotations

import traceback

from foretext.base.terminal import say
from foretext.serving.settings import ServingConfig

__all__ = ["say_defect"]


def say_defect(defect: BaseException, where: str, settings: ServingConfig) -> None:
    """Write a defect to standard error; its message may hold a client's text.

    Args:
        defect: what was raised.
        where: for the reader, such as "request 3f2a".
        settings: say whether texts are logged.
    """
    places = "".join(traceback.format_tb(defect.__traceback__))
    said = f": {defect}" if settings.log_texts else ""
    say(f"{places}{type(defect).__name__}{said} ({where})", error=True)
