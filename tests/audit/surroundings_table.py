"""The table of odd surroundings: each changes how a command is started, and cleans up after."""

from __future__ import annotations

import functools
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["SURROUNDINGS", "CannotBeHad", "Launch", "Surrounding"]

MB = 1 << 20


class CannotBeHad(Exception):  # noqa: N818  a reason to skip, not an error
    """This machine does not let us make these surroundings."""


@dataclass
class Launch:
    """How a command is started, in a folder of its own."""

    folder: Path
    arguments: tuple[str, ...]
    corpus: str | bytes
    rows: Path
    out: str | bytes
    environment: dict[str, str]
    limits: dict[int, int] = field(default_factory=dict)
    before: list[Callable[[], object]] = field(default_factory=list)  # in the new process
    stdin: Any = subprocess.DEVNULL
    stdout: Any = subprocess.PIPE
    stderr: Any = subprocess.PIPE
    cwd: Path | None = None
    signalled: tuple[int, float] | None = None  # the signal, and when, in seconds
    options: tuple[str, ...] = ()

    def command(self) -> list[bytes]:
        """The arguments, with the names of text and result filled in."""
        parts = [os.fsencode(part) for part in (*self.arguments, *self.options)]
        for name, value in (("corpus", self.corpus), ("rows", self.rows), ("out", self.out)):
            parts = [part.replace(b"{%s}" % name.encode(), os.fsencode(value)) for part in parts]
        return [os.fsencode(sys.executable), b"-m", b"foretext", *parts]


Change = Callable[[Launch], Iterator[None]]


@dataclass(frozen=True)
class Surrounding:
    """One row: what is changed, for which verbs, and whether it is in the short form."""

    name: str
    change: Callable[[Launch], Any]  # a context manager
    verbs: str  # "all", "writes", "reads" or one verb
    short: str | None = None  # the verb of the short form


SURROUNDINGS: list[Surrounding] = []


def row(name: str, verbs: str, short: str | None = None) -> Callable[[Change], Change]:
    """Add a function to the table."""

    def add(change: Change) -> Change:
        SURROUNDINGS.append(Surrounding(name, contextmanager(change), verbs, short))
        return change

    return add


def rows(
    verbs: str, cases: dict[str, Any], change: Callable[..., Iterator[None]], short: Sequence[str]
) -> None:
    """Add a row for each case, which `change` gets; those named in `short` are tried always."""
    for name, case in cases.items():
        verb = {"all": "list", "reads": "inspect", "writes": "tokenizer"}.get(verbs, verbs)

        def bound(launch: Launch, case: Any = case) -> Iterator[None]:
            yield from change(launch, case)

        row(name, verbs, verb if name in short else None)(bound)


# Disks


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
rows("writes", {f"disk with {name} free": free for free, name in FREE.items()}, full_disk,
     ["disk with none free", "disk with 64 kB free"])  # fmt: skip
rows("all", {f"TMPDIR with {name} free": free for free, name in FREE.items() if free < MB},
     full_temporary, [])  # fmt: skip


@row("read-only disk", "writes", "tokenizer")
def read_only_disk(launch: Launch) -> Iterator[None]:
    unmount = mounted(launch.folder / "disk", "ro")
    launch.out = str(launch.folder / "disk" / "out")
    try:
        yield
    finally:
        unmount()


@row("standard output full", "all", "list")
def full_output(launch: Launch) -> Iterator[None]:
    with Path("/dev/full").open("wb") as launch.stdout:
        yield


@row("standard error full", "all")
def full_error(launch: Launch) -> Iterator[None]:
    with Path("/dev/full").open("wb") as launch.stderr:
        yield


# Limits


def limited(launch: Launch, limits: dict[int, int]) -> Iterator[None]:
    launch.limits |= limits
    yield


rows("writes", {f"files of {size:,} bytes": {resource.RLIMIT_FSIZE: size}
                for size in (0, 100, 10_000, 100_000, 1_000_000)}, limited,
     ["files of 100 bytes"])  # fmt: skip
rows("all", {f"{size} MB of memory": {resource.RLIMIT_AS: size * MB}
             for size in (150, 250, 400, 450, 480, 520, 600, 800, 1000, 1400, 1800, 2400, 3000)},
     limited, ["150 MB of memory", "400 MB of memory"])  # fmt: skip
rows("all", {f"{size} MB of data": {resource.RLIMIT_DATA: size * MB} for size in (150, 500)},
     limited, [])  # fmt: skip
rows("all", {f"{number} open files": {resource.RLIMIT_NOFILE: number} for number in (8, 16, 32)},
     limited, ["16 open files"])  # fmt: skip


@row("no room for threads", "all", "word2vec")
def no_threads(launch: Launch) -> Iterator[None]:
    launch.environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    launch.limits |= {resource.RLIMIT_STACK: 8192 * MB, resource.RLIMIT_AS: 12288 * MB}
    yield


# Streams


def closed(launch: Launch, handles: Sequence[int]) -> Iterator[None]:
    launch.stdin, launch.stdout, launch.stderr = (
        None if number in handles else kept
        for number, kept in enumerate((launch.stdin, launch.stdout, launch.stderr))
    )
    launch.before += [functools.partial(os.close, handle) for handle in handles]
    yield


rows("all", {"standard input closed": [0], "standard output closed": [1],
             "standard error closed": [2], "all streams closed": [0, 1, 2]}, closed,
     ["standard output closed", "all streams closed"])  # fmt: skip


@row("a reader that has left", "all", "list")
def broken_pipe(launch: Launch) -> Iterator[None]:
    reader, launch.stdout = os.pipe()
    os.close(reader)
    yield
    os.close(launch.stdout)


# Locales


def localised(launch: Launch, environment: dict[str, str]) -> Iterator[None]:
    text = launch.rows.parent / "语料.txt"
    launch.corpus, launch.out = str(text), str(launch.folder / "结果")
    launch.environment |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", **environment}
    yield


rows("all", {"C locale": {"LC_ALL": "C"}, "POSIX locale": {"LC_ALL": "POSIX"},
             "latin-1 output": {"PYTHONIOENCODING": "latin-1"},
             "ASCII output": {"PYTHONIOENCODING": "ascii:strict"},
             "UTF-16 output": {"PYTHONIOENCODING": "utf-16"},
             "unknown locale": {"LC_ALL": "xx_YY.ISO-8859-1"}}, localised,
     ["C locale", "ASCII output"])  # fmt: skip


# Environment


def with_environment(launch: Launch, environment: dict[str, str | None]) -> Iterator[None]:
    for name, value in environment.items():
        launch.environment.pop(name, None)
        if value is not None:
            launch.environment[name] = value
    yield


rows("all", {"no HOME": {"HOME": None}, "HOME that is a device": {"HOME": "/dev/null"},
             "HOME that cannot be": {"HOME": "/proc/nowhere"},
             "TMPDIR missing": {"TMPDIR": "/nowhere/at/all"},
             "TMPDIR that is a device": {"TMPDIR": "/dev/null"},
             "numba's cache cannot be written": {"NUMBA_CACHE_DIR": "/proc/nowhere"},
             "empty PATH": {"PATH": ""}, "TERM unknown": {"TERM": "no-such"},
             "no columns": {"COLUMNS": "0"}, "columns of letters": {"COLUMNS": "x"},
             "RANK of letters": {"RANK": "x"}, "WORLD_SIZE of letters": {"WORLD_SIZE": "x"}},
     with_environment, ["TMPDIR that is a device", "no HOME"])  # fmt: skip


@row("no temporary folder at all", "all")
def no_temporary(launch: Launch) -> Iterator[None]:
    launch.environment["TMPDIR"] = "/proc"
    launch.cwd = Path("/proc")
    yield


@row("cwd deleted", "all", "tokenizer")
def deleted_cwd(launch: Launch) -> Iterator[None]:
    launch.cwd = launch.folder / "gone"
    launch.cwd.mkdir()
    launch.before.append(launch.cwd.rmdir)
    launch.out = "out"
    yield


# Names of results


def named(launch: Launch, name: bytes) -> Iterator[None]:
    launch.cwd = launch.folder
    launch.out = name
    folder = launch.folder
    (folder / "a file").write_text("mine")
    (folder / "a folder").mkdir()
    (folder / "a link").symlink_to("a folder")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")
    yield
    assert (folder / "a file").read_text() == "mine", "a file of the user was changed"


NAMES = {
    "300 letters": b"x" * 300, "250 letters": b"x" * 250, "5,000 letters": b"x/" * 2500,
    "not UTF-8": b"caf\xe9", "newline": b"a\nb", "ESC": b"a\x1b[31mb", "spaces": b"  a b ",
    "dot": b".", "two dots": b"..", "deep": b"a/b/c", "ending in a slash": b"made/", "empty": b"",
    "root": b"/", "a link": b"a link", "a dangling link": b"dangling", "a link loop": b"loop",
    "within a link loop": b"loop/x", "a file": b"a file", "within a file": b"a file/x",
    "a FIFO": b"fifo", "a device": b"/dev/null", "within a device": b"/dev/null/x",
    "within /proc": b"/proc/x", "a minus": b"--", "a tilde": b"~nobody/x",
}  # fmt: skip
rows("writes", {f"result named {name}": value for name, value in NAMES.items()}, named,
     [f"result named {name}" for name in ("300 letters", "not UTF-8", "dot", "a file",
                                          "a FIFO", "a link loop")])  # fmt: skip


# Text


def of_text(launch: Launch, make: Callable[[Path], object]) -> Iterator[None]:
    path = launch.folder / "text"
    made = make(path)
    launch.corpus = made if isinstance(made, bytes) else str(path)
    yield


def folder_of(make: Callable[[Path], object]) -> Callable[[Path], None]:
    """A folder with a good text, and with something else."""

    def made(path: Path) -> None:
        path.mkdir()
        (path / "a.txt").write_text("a ship of the sea\n" * 50)
        make(path / "b.txt")

    return made


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # 107 letters at most


def pipe_that_ends(path: Path) -> None:
    os.mkfifo(path)
    write = '(yes "a ship of the sea" | head -1000 > "$0") &'
    subprocess.run(["sh", "-c", write, str(path)], check=True)


THINGS: dict[str, Callable[[Path], object]] = {
    "a socket": socket_at,
    "a broken link": lambda path: path.symlink_to("nowhere"),
    "a link loop": lambda path: path.symlink_to(path),
    "an empty file": Path.touch,
    "a folder without text": Path.mkdir,
    "a file of zeros": lambda path: path.write_bytes(bytes(1000)),
    "nothing": lambda path: None,
    "a file of blank lines": lambda path: path.write_text("\n" * 1000),
}
# What never ends is waited for where it is named, and passed over in a folder.
ENDLESS: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
}
rows("reads", {f"text that is {name}": make
               for name, make in {**THINGS, "a pipe that ends": pipe_that_ends}.items()}, of_text,
     ["text that is a pipe that ends", "text that is a link loop",
      "text that is an empty file"])  # fmt: skip
rows("reads", {f"folder with {name}": folder_of(make)
               for name, make in {**THINGS, **ENDLESS}.items()}, of_text,
     ["folder with a FIFO"])  # fmt: skip
rows("reads", {"text named with 300 letters": lambda path: b"x" * 300,
               "text not named in UTF-8": lambda path: b"caf\xe9",
               "text without a name": lambda path: b"",
               "text of /proc": lambda path: b"/proc/self/mem"}, of_text, [])  # fmt: skip


# Signals


def signalled(launch: Launch, when: tuple[int, float]) -> Iterator[None]:
    launch.signalled = when
    yield


rows("all", {f"{signal.Signals(number).name} after {moment} s": (number, moment)
             for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)
             for moment in (0.0, 0.1, 0.3, 0.6, 1.0, 2.0)}, signalled,
     ["SIGTERM after 0.1 s", "SIGINT after 0.3 s"])  # fmt: skip


# Two processes


def beside_another(launch: Launch, options: tuple[str, ...]) -> Iterator[None]:
    """Another process works on the same result, and goes on until we have seen the second."""
    launch.out = str(launch.folder / "out")
    endless = ("--set", "vectors.epochs=100000", "--set", "training.steps=100000")
    first = subprocess.Popen(
        [*launch.command(), *map(os.fsencode, endless[:2] if "word2vec" in launch.arguments
                                 else endless[2:])],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=launch.environment,
    )  # fmt: skip
    try:
        wait_for(lambda: Path(os.fsdecode(launch.out)).exists() or first.poll() is not None)
        launch.options = options
        yield
        assert first.poll() is None, "the second process ended the first"
    finally:
        first.terminate()
        first.communicate(timeout=30)


def wait_for(happened: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(0.02)


rows("word2vec", {"another process at work": (), "another at work, --overwrite": ("--overwrite",),
                  "another at work, --resume": ("--resume",)}, beside_another,
     ["another at work, --overwrite"])  # fmt: skip
