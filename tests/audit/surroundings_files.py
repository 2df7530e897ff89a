"""Surroundings that files make: names of results, and what stands where text should be."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.audit.surroundings_table import Launch, rows

__all__ = ["ROWS"]


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


ROWS = [
    *rows(
        "writes",
        {f"result named {name}": value for name, value in NAMES.items()},
        named,
        [
            f"result named {name}"
            for name in ("300 letters", "not UTF-8", "dot", "a file", "a FIFO", "a link loop")
        ],
    ),
    *rows(
        "reads",
        {
            f"text that is {name}": make
            for name, make in {**THINGS, "a pipe that ends": pipe_that_ends}.items()
        },
        of_text,
        ["text that is a pipe that ends", "text that is a link loop", "text that is an empty file"],
    ),
    *rows(
        "reads",
        {f"folder with {name}": folder_of(make) for name, make in {**THINGS, **ENDLESS}.items()},
        of_text,
        ["folder with a FIFO"],
    ),
    *rows(
        "reads",
        {
            "text named with 300 letters": lambda path: b"x" * 300,
            "text not named in UTF-8": lambda path: b"caf\xe9",
            "text without a name": lambda path: b"",
            "text of /proc": lambda path: b"/proc/self/mem",
        },
        of_text,
    ),
]
