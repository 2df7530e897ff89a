"""Memory that was freed once is used again without asking the system for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
from foretext.base.heap import keep_freed_memory
kept = keep_freed_memory() if sys.argv[1] == "keep" else False
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def work():
    return sum(map(len, [bytearray(2**24) for _ in range(8)]))
work()
before = faults()
work()
print(int(kept), faults() - before)
"""


def page_faults(choice: str) -> tuple[bool, int]:
    command = [sys.executable, "-c", PROGRAM, choice]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, faults = done.stdout.split()
    return kept == "1", int(faults)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be asked")
def test_freed_memory_is_used_again() -> None:
    kept, faults = page_faults("keep")
    if not kept:
        pytest.skip("this C library cannot be asked")
    assert faults < page_faults("leave")[1] / 10
