"""The server infinity, with the network and the texts that foretext serves.

infinity 0.0.77 needs older versions of numpy and sentence-transformers, so it stands in an
environment of its own; ``FORETEXT_INFINITY`` names the interpreter of that.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from benchmarks.harness import work_folder

__all__ = ["INFINITY", "infinity_server"]

INFINITY = os.environ.get("FORETEXT_INFINITY")
START_SECONDS = 120
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DO_NOT_TRACK": "1"}


@contextmanager
def infinity_server(folder: Path, name: str) -> Iterator[int]:
    """The port of a server that runs within.

    Args:
        folder: of sentence-transformers.
        name: of the model in requests.
    """
    assert INFINITY is not None
    port = _free_port()
    command = [str(Path(INFINITY).with_name("infinity_emb")), "v2", "--model-id", str(folder)]
    command += ["--served-model-name", name, "--port", str(port), "--host", "127.0.0.1"]
    command += ["--engine", "torch", "--device", "cpu", "--url-prefix", "/v1"]
    # BetterTransformer needs an older optimum; without it transformers takes PyTorch's attention.
    command += ["--no-bettertransformer", "--no-model-warmup", "--log-level", "critical"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=os.environ | OFFLINE, stdout=quiet, stderr=quiet) as process:
        try:
            (work_folder() / f"serving-{port}.pid").write_text(str(process.pid))
            _wait(port, process)
            yield port
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError("infinity does not start; run its infinity_emb by hand to see why")


def _free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port
