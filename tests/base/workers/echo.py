"""A worker process for tests: says what it was asked, fails, prints, or dies."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from foretext.base.errors import CorpusError
from foretext.base.workers import Service, read_values

__all__: list[str] = []


def _do(asked: list[Any]) -> Any:
    match asked:
        case ["fail", sentence]:
            raise CorpusError(sentence)
        case ["print"]:
            print("to nobody", flush=True)
        case ["signal", name]:
            os.kill(os.getpid(), signal.Signals[name])
        case ["end", "in the middle"]:
            os.write(output, b'["half of')
            os._exit(3)
        case ["end", file]:
            with Path(file).open("a") as log:
                log.write("asked\n")
            os._exit(4)
    return [sys.flags.safe_path, *sys.argv[1:], *asked]


if __name__ == "__main__":
    output = os.dup(1)
    Service([signal.Signals[name] for name in sys.argv[1:]]).run(read_values, _do)
