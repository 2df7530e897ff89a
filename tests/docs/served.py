"""``foretext serve`` of a guide: a server that runs while the rest of the page does."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

import pytest

__all__ = ["Servers"]

WRITTEN = "127.0.0.1:8000"  # the address of every page
PATIENCE = 120.0  # seconds, on a machine with much else to do


class Servers:
    """The server of a page, at a port that is free in place of the one that is written."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._address = f"127.0.0.1:{free.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def here(self, text: str) -> str:
        """Return a text of the page with the address of this server."""
        return text.replace(WRITTEN, self._address)

    def start(self, words: list[str]) -> None:
        """Run ``foretext serve`` instead of the one before, and wait until it can answer."""
        self.stop()
        port = self._address.partition(":")[2]
        command = [sys.executable, "-m", "foretext", *words[1:], "--port", port]
        with Path("serve.log").open("wb") as log:
            self._process = subprocess.Popen(command, stderr=log)
        end = time.monotonic() + PATIENCE
        while not self._is_healthy():
            assert self._process.poll() is None, Path("serve.log").read_text(encoding="utf-8")
            assert time.monotonic() < end, f"{words} does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server, if there is one; it must end by itself, and well."""
        if self._process is not None:
            self._process.terminate()
            assert self._process.wait(PATIENCE) == 0
            self._process = None

    def curl(self, words: list[str], place: object) -> None:
        """Run a command of curl, which must succeed."""
        if shutil.which("curl") is None:
            pytest.skip("curl is not installed")
        done = subprocess.run(words, capture_output=True, check=False)
        assert done.returncode == 0, f"{place}: {done.stderr.decode()}"

    def _is_healthy(self) -> bool:
        try:
            with urlopen(f"http://{self._address}/health", timeout=5):
                return True
        except (URLError, ConnectionError, TimeoutError):
            return False
