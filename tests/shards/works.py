"""Work for tests: a process that it starts finds it by PYTHONPATH."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from foretext.base.errors import CorpusError, OutputError
from foretext.shards.work import Fill


def open_upper(settings: str) -> Fill:
    """Write each shard in capitals, and which process did so."""

    def fill(data: bytes, folder: Path) -> None:
        (folder / "upper.txt").write_bytes(data.upper() + settings.encode())

    return fill


def open_noted(settings: str) -> Fill:
    """Add a line to the file `settings` for each shard."""
    return _noted(settings, lambda data: None)


def open_refusing(settings: str) -> Fill:
    """Refuse a shard that says so, with the error class in `settings`."""
    kind = {"CorpusError": CorpusError, "OutputError": OutputError}[settings]

    def fill(data: bytes, folder: Path) -> None:
        (folder / "part.txt").write_bytes(data)
        if data == b"bad":
            raise kind("this shard will not do")

    return fill


def open_dying_once(settings: str) -> Fill:
    """Kill the process of each shard that says so, unless the file `settings` is longer."""

    def act(data: bytes) -> None:
        if data == b"deadly" and Path(settings).read_bytes().count(b"deadly") == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    return _noted(settings, act)


def open_dying(settings: str) -> Fill:
    """Kill the process of each shard."""
    return _noted(settings, lambda data: os.kill(os.getpid(), signal.SIGKILL))


def _noted(path: str, act: Callable[[bytes], object]) -> Fill:
    def fill(data: bytes, folder: Path) -> None:
        with Path(path).open("ab") as file:
            file.write(data + b"\n")
        act(data)
        (folder / "data.bin").write_bytes(data)

    return fill
