"""Parts of processes for tests."""

from __future__ import annotations

import os
import signal
from typing import Any

from foretext.base.errors import CorpusError

__all__ = ["Echo", "opened"]


class Echo:
    """Says what it was asked, fails, or dies."""

    def __init__(self, number: int) -> None:
        self.number = number

    def do(self, name: str, arguments: list[Any]) -> list[Any]:
        if name == "fail":
            raise CorpusError(f"process {self.number} has no text.")
        if name == "die" and self.number in arguments:
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "print":
            print("to nobody")
        return [self.number, name, arguments]


def opened(number: int) -> Echo:
    return Echo(number)
