"""Surroundings that the shell makes: locales, variables and the working folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.audit.surroundings_table import Launch, row, rows

__all__ = ["ROWS"]


def localised(launch: Launch, environment: dict[str, str]) -> Iterator[None]:
    text = launch.rows.parent / "语料.txt"
    launch.corpus, launch.out = str(text), str(launch.folder / "结果")
    launch.environment |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", **environment}
    yield


def with_environment(launch: Launch, environment: dict[str, str | None]) -> Iterator[None]:
    for name, value in environment.items():
        launch.environment.pop(name, None)
        if value is not None:
            launch.environment[name] = value
    yield


def no_temporary(launch: Launch) -> Iterator[None]:
    launch.environment["TMPDIR"] = "/proc"
    launch.cwd = Path("/proc")
    yield


def deleted_cwd(launch: Launch) -> Iterator[None]:
    launch.cwd = launch.folder / "gone"
    launch.cwd.mkdir()
    launch.before.append(launch.cwd.rmdir)
    launch.out = "out"
    yield


VARIABLES: dict[str, dict[str, str | None]] = {
    "no HOME": {"HOME": None},
    "HOME that is a device": {"HOME": "/dev/null"},
    "HOME that cannot be": {"HOME": "/proc/nowhere"},
    "TMPDIR missing": {"TMPDIR": "/nowhere/at/all"},
    "TMPDIR that is a device": {"TMPDIR": "/dev/null"},
    "numba's cache cannot be written": {"NUMBA_CACHE_DIR": "/proc/nowhere"},
    "empty PATH": {"PATH": ""},
    "TERM unknown": {"TERM": "no-such"},
    "no columns": {"COLUMNS": "0"},
    "columns of letters": {"COLUMNS": "x"},
    "RANK of letters": {"RANK": "x"},
    "WORLD_SIZE of letters": {"WORLD_SIZE": "x"},
}
ROWS = [
    *rows(
        "all",
        {
            "C locale": {"LC_ALL": "C"},
            "POSIX locale": {"LC_ALL": "POSIX"},
            "latin-1 output": {"PYTHONIOENCODING": "latin-1"},
            "ASCII output": {"PYTHONIOENCODING": "ascii:strict"},
            "UTF-16 output": {"PYTHONIOENCODING": "utf-16"},
            "unknown locale": {"LC_ALL": "xx_YY.ISO-8859-1"},
        },
        localised,
        ["C locale", "ASCII output"],
    ),
    *rows(
        "all",
        VARIABLES,
        with_environment,
        ["TMPDIR that is a device", "no HOME"],
    ),
    row("no temporary folder at all", no_temporary, "all"),
    row("cwd deleted", deleted_cwd, "all", "tokenizer"),
]
