"""What a surrounding is: it changes how a command is started, and cleans up after."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["MB", "CannotBeHad", "Launch", "Surrounding", "row", "rows"]

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


Case = TypeVar("Case")
Change = Callable[[Launch], Iterator[None]]


@dataclass(frozen=True)
class Surrounding:
    """One row: what is changed, for which verbs, and whether it is in the short form."""

    name: str
    change: Callable[[Launch], Any]  # a context manager
    verbs: str  # "all", "writes", "reads" or one verb
    short: str | None = None  # the verb of the short form


# The verb that stands for its kind in the short form; it starts fast.
STANDS_FOR = {"all": "list", "reads": "inspect", "writes": "tokenizer"}


def row(name: str, change: Change, verbs: str, short: str | None = None) -> Surrounding:
    """One surrounding; `short` is the verb that it is always tried with."""
    return Surrounding(name, contextmanager(change), verbs, short)


def rows(
    verbs: str,
    cases: Mapping[str, Case],
    change: Callable[[Launch, Case], Iterator[None]],
    short: Sequence[str] = (),
    verb: str | None = None,
) -> list[Surrounding]:
    """One surrounding for each case, which `change` gets.

    Those that `short` names are always tried, with `verb`, or with the one that starts fastest.
    """
    verb = verb or STANDS_FOR.get(verbs, verbs)

    def with_case(case: Case) -> Change:
        return lambda launch: change(launch, case)

    return [
        row(name, with_case(case), verbs, verb if name in short else None)
        for name, case in cases.items()
    ]
