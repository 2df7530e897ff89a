"""What a model costs: the memory of its training, its room on the disk, the time of a row."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.runtime import give_back_memory, usable_cores
from foretext.base.system import peak_memory, read_system_file, total_memory
from foretext.finetuning.task_rows import sampled

__all__ = [
    "disk_bytes",
    "machine",
    "milliseconds_of_one",
    "peak_memory_bytes",
    "reset_peak_memory",
    "seconds_of_many",
]

CLEAR_REFS, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
RESET_PEAK = "5"  # proc(5): sets the peak of resident memory to what is resident now
FIRST_ROWS, GROWTH = 8, 4  # that are answered together, and how many times more come next
TIMED_SECONDS = 0.2  # from which on a time tells
MOST_SINGLE_ROWS, SINGLE_SECONDS = 50, 1.0  # that are answered one at a time


def reset_peak_memory() -> None:
    """Forget what this process held before; where the system cannot, the peak counts that too."""
    gc.collect()
    give_back_memory()
    try:
        CLEAR_REFS.write_text(RESET_PEAK, encoding="ascii")
    except OSError:  # another system, or a container that hides it
        return


def peak_memory_bytes() -> int:
    """Return the most that this process held since `reset_peak_memory`, its libraries too.

    Where the system does not say, it is 0.
    """
    found = re.search(r"^VmHWM:\s+(\d+) kB$", read_system_file(STATUS), re.MULTILINE)
    return int(found[1]) << 10 if found is not None else peak_memory() or 0


def machine() -> dict[str, float]:
    """Return what figures of time depend on: cores that may be used, and bytes of memory."""
    found = {"cores": float(usable_cores())}
    memory = total_memory()
    if memory is not None:
        found["memory"] = float(memory)
    return found


def disk_bytes(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def milliseconds_of_one(answer: Callable[[Sequence[Any]], object], rows: Sequence[Any]) -> float:
    """Return the median time of answering one row alone, which is what a user waits for.

    Up to 50 rows from the whole file are answered, within about a second.

    Args:
        answer: takes rows; what its first call prepares is not counted.
        rows: one or more.
    """
    answer(rows[:1])
    places = np.linspace(0, len(rows) - 1, min(len(rows), MOST_SINGLE_ROWS)).astype(int)
    seconds: list[float] = []
    until = time.perf_counter() + SINGLE_SECONDS
    for place in np.random.default_rng(0).permutation(places).tolist():
        began = time.perf_counter()
        answer([rows[place]])
        seconds.append(time.perf_counter() - began)
        if time.perf_counter() > until:
            break
    return 1000 * float(np.median(seconds))


def seconds_of_many(answer: Callable[[Sequence[Any]], object], rows: Sequence[Any]) -> float:
    """Return the time of a row where many are answered at once, which more and more rows tell.

    The last of them are answered twice, since libraries prepare code for each new shape of a batch:
    that takes the same time for a hundred rows as for thousands.

    Args:
        answer: takes rows; what its first call prepares is not counted.
        rows: one or more, of which some are answered.
    """
    drawn = sampled(rows, len(rows), in_order=False)
    answer(drawn[:1])
    number = FIRST_ROWS
    while True:
        some = drawn[:number]
        seconds = _seconds_of(answer, some)
        if seconds >= TIMED_SECONDS or len(some) == len(drawn):
            return min(seconds, _seconds_of(answer, some)) / len(some)
        number *= GROWTH


def _seconds_of(answer: Callable[[Sequence[Any]], object], rows: Sequence[Any]) -> float:
    began = time.perf_counter()
    answer(rows)
    return time.perf_counter() - began
