"""How long this process has been there: what somebody waits for, imports and all."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["process_seconds"]

STARTED = 22 - 3  # `starttime` of proc(5), among the fields after the name


def process_seconds(folder: Path = Path("/proc/self")) -> float | None:
    """Return the seconds since the system started this process; None: it does not say.

    Args:
        folder: of the process, as Linux shows it.
    """
    try:
        fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:  # another system
        return None
    started = int(fields[STARTED]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started
