"""Memory that was freed goes back to the system while a server works."""

from __future__ import annotations

import time

from foretext.base.runtime import give_back_memory

__all__ = ["FreedMemory"]

SECONDS = 10.0  # between two times; pages that are needed again have to be fetched again


class FreedMemory:
    """Gives back what earlier batches have freed, an observer of batches.

    The C library keeps it where blocks that are in use stand between: after a minute of batches of
    ever new lengths a tenth of a server's memory.
    """

    def __init__(self) -> None:
        self._next = time.monotonic() + SECONDS

    def __call__(self, computed: object) -> None:
        """Give memory back, unless that was done a moment ago."""
        if (now := time.monotonic()) >= self._next:
            give_back_memory()
            self._next = now + SECONDS
