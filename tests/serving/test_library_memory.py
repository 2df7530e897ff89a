"""What libraries keep: in a process of its own, since they read their limits once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from foretext.serving.library_memory import limit_library_memory

GROWTH = """
import os
from pathlib import Path
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})  # more is kept for more cores
{limit}
import torch

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

weight = torch.ones(64, 32)
packed = torch.ops.mkldnn._reorder_linear_weight(weight)
def multiply(num_rows):
    torch.ops.mkldnn._linear_pointwise(torch.ones(num_rows, 32), packed, None, "none", [], "")

for num_rows in range(1, 80):
    multiply(num_rows)
before = resident()
for num_rows in range(80, 200):
    multiply(num_rows)
print((resident() - before) >> 20)
"""


def growth(limit: str) -> int:
    """Megabytes that 120 products of further shapes leave behind, after 79 shapes."""
    command = [sys.executable, "-c", GROWTH.format(limit=limit)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_products_of_ever_new_shapes_leave_no_memory_behind() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is read from /proc")
    limited = growth(
        "from foretext.serving.library_memory import limit_library_memory as limit; limit()"
    )
    assert limited <= 20
    unlimited = growth("")
    if unlimited < 40:
        pytest.skip(f"this processor needs no limits: {unlimited} MB are kept without them")
    assert limited <= unlimited / 2


def test_what_the_user_has_chosen_stays() -> None:
    chosen = {"LRU_CACHE_CAPACITY": "7", "MALLOC_ARENA_MAX": "3"}
    limit_library_memory(environment := dict(chosen))
    assert chosen.items() <= environment.items()
    assert int(environment["ONEDNN_PRIMITIVE_CACHE_CAPACITY"]) >= 32
