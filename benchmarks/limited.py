"""A command under a limit of memory: what it takes is looked at often, and too much ends it.

What counts is what the system cannot take back: anonymous and shared memory of the process and of
all that it started. Pages of mapped files do not count, because the system drops them where memory
is short. Address space that is only reserved does not count either, so RLIMIT_AS would say nothing.
To have the system itself keep the limit, page cache included, run the benchmark in a cgroup:
``systemd-run --user --scope -p MemoryMax=1G python -m benchmarks beyond_memory``.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Usage", "run_limited"]

INTERVAL = 0.05  # seconds between two looks
_HELD = re.compile(r"^(?:RssAnon|RssShmem):\s+(\d+) kB", re.MULTILINE)
_MAPPED = re.compile(r"^RssFile:\s+(\d+) kB", re.MULTILINE)


class Usage(NamedTuple):
    """What a command took."""

    seconds: float
    cpu: float  # seconds, of all processes
    held: int  # bytes of anonymous and shared memory, at most
    mapped: int  # bytes of pages of files, at most
    code: int | None  # exit code; None: it took more than the limit, and was ended
    errors: str  # what it wrote to standard error, its end


def run_limited(command: Sequence[str], limit: int, log: Path) -> Usage:
    """Run a command, and end it with all that it started once they hold more than `limit` bytes.

    Linux only: it reads /proc.
    """
    began, held, mapped, over = time.monotonic(), 0, 0, False
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            now = [_memory(pid) for pid in _family(process.pid)]
            held = max(held, sum(each[0] for each in now))
            mapped = max(mapped, sum(each[1] for each in now))
            if held > limit and not over:
                over = True
                os.killpg(process.pid, 9)  # of the session that began above
            time.sleep(INTERVAL)
    _, status, spent = ended
    process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here
    return Usage(
        time.monotonic() - began,
        spent.ru_utime + spent.ru_stime,
        held,
        mapped,
        None if over else process.returncode,
        log.read_text(errors="replace")[-2000:],
    )


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all that descend from it."""
    yield pid
    try:
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
        children = " ".join((thread / "children").read_text() for thread in threads).split()
    except OSError:  # it has ended
        return
    for child in children:
        yield from _family(int(child))


def _memory(pid: int) -> tuple[int, int]:
    """Return the bytes that a process holds, and those of mapped files."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has ended
        return 0, 0
    held, mapped = (sum(map(int, each.findall(status))) << 10 for each in (_HELD, _MAPPED))
    return held, mapped
