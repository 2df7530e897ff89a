"""Surroundings that the machine makes: disks, limits and streams."""

from __future__ import annotations

import functools
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.audit.surroundings_table import MB, CannotBeHad, Launch, row, rows

__all__ = ["ROWS"]


def mounted(folder: Path, *options: str) -> Callable[[], None]:
    """Mount a file system in memory; returns what unmounts it."""

    def unmount() -> None:
        subprocess.run(["umount", "-l", str(folder)], check=True)

    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True).returncode:
        raise CannotBeHad("a file system cannot be mounted here")
    return unmount


def nearly_full(folder: Path, free: int) -> Callable[[], None]:
    unmount = mounted(folder, "size=4m")
    with (folder / "filler").open("wb") as filler:
        filler.write(bytes(4 * MB - free))
    return unmount


def full_disk(launch: Launch, free: int) -> Iterator[None]:
    unmount = nearly_full(launch.folder / "disk", free)
    launch.out = str(launch.folder / "disk" / "out")
    try:
        yield
    finally:
        unmount()


def full_temporary(launch: Launch, free: int) -> Iterator[None]:
    unmount = nearly_full(launch.folder / "tmp", free)
    try:
        yield
    finally:
        unmount()


FREE = {0: "none", 8 << 10: "8 kB", 64 << 10: "64 kB", 256 << 10: "256 kB", MB: "1 MB",
        2 * MB: "2 MB"}  # fmt: skip


def read_only_disk(launch: Launch) -> Iterator[None]:
    unmount = mounted(launch.folder / "disk", "ro")
    launch.out = str(launch.folder / "disk" / "out")
    try:
        yield
    finally:
        unmount()


def full_output(launch: Launch) -> Iterator[None]:
    with Path("/dev/full").open("wb") as launch.stdout:
        yield


def full_error(launch: Launch) -> Iterator[None]:
    with Path("/dev/full").open("wb") as launch.stderr:
        yield


def limited(launch: Launch, limits: dict[int, int]) -> Iterator[None]:
    launch.limits |= limits
    yield


def no_threads(launch: Launch) -> Iterator[None]:
    launch.environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    launch.limits |= {resource.RLIMIT_STACK: 8192 * MB, resource.RLIMIT_AS: 12288 * MB}
    yield


def closed(launch: Launch, handles: Sequence[int]) -> Iterator[None]:
    launch.stdin, launch.stdout, launch.stderr = (
        None if number in handles else kept
        for number, kept in enumerate((launch.stdin, launch.stdout, launch.stderr))
    )
    launch.before += [functools.partial(os.close, handle) for handle in handles]
    yield


def broken_pipe(launch: Launch) -> Iterator[None]:
    reader, launch.stdout = os.pipe()
    os.close(reader)
    yield
    os.close(launch.stdout)


ROWS = [
    *rows(
        "writes",
        {f"disk with {name} free": free for free, name in FREE.items()},
        full_disk,
        ["disk with none free", "disk with 64 kB free"],
    ),
    *rows(
        "all",
        {f"TMPDIR with {name} free": free for free, name in FREE.items() if free < MB},
        full_temporary,
    ),
    row("read-only disk", read_only_disk, "writes", "tokenizer"),
    row("standard output full", full_output, "all", "list"),
    row("standard error full", full_error, "all"),
    *rows(
        "writes",
        {
            f"files of {size:,} bytes": {resource.RLIMIT_FSIZE: size}
            for size in (0, 100, 10_000, 100_000, 1_000_000)
        },
        limited,
        ["files of 100 bytes"],
    ),
    *rows(
        "all",
        {
            f"{size} MB of memory": {resource.RLIMIT_AS: size * MB}
            for size in (150, 250, 400, 450, 480, 520, 600, 800, 1000, 1400, 1800, 2400, 3000)
        },
        limited,
        ["150 MB of memory", "400 MB of memory"],
        verb="word2vec",
    ),
    *rows(
        "all",
        {f"{size} MB of data": {resource.RLIMIT_DATA: size * MB} for size in (150, 500)},
        limited,
    ),
    *rows(
        "all",
        {f"{number} open files": {resource.RLIMIT_NOFILE: number} for number in (16, 32)},
        limited,
        ["16 open files"],
    ),
    row("no room for threads", no_threads, "all", "word2vec"),
    *rows(
        "all",
        {
            "standard input closed": [0],
            "standard output closed": [1],
            "standard error closed": [2],
            "all streams closed": [0, 1, 2],
        },
        closed,
        ["standard output closed", "all streams closed"],
    ),
    row("a reader that has left", broken_pipe, "all", "list"),
]
