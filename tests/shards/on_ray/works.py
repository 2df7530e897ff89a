"""Work for tests that nodes of a cluster do."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from foretext.shards.work import Fill

__all__ = ["open_full", "open_killing", "open_slow"]


def open_slow(settings: str) -> Fill:
    """Say in the folder `settings` that a shard is begun; wait while a file there asks for it."""

    def fill(data: bytes, folder: Path) -> None:
        (folder / "data.bin").write_bytes(data)
        (Path(settings) / f"begun-{data.decode()}-{os.getpid()}").touch()
        while (Path(settings) / "wait").exists():
            time.sleep(0.05)

    return fill


def open_full(settings: str) -> Fill:
    """Find the disk full."""

    def fill(data: bytes, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    return fill


def open_killing(settings: str) -> Fill:
    """End the process of every shard."""

    def fill(data: bytes, folder: Path) -> None:
        os._exit(1)

    return fill
