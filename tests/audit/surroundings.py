"""Every verb in odd surroundings has to end in time, with its work or with one sentence.

``python -m tests.audit.surroundings FOLDER [--only TEXT ...] [--verbs NAME ...]`` starts real
processes. What must hold of each:

- it ends in time, with exit code 0, with 2 and one sentence, or with 130 after a signal;
- nothing prints a traceback, or speaks of a defect;
- no partial file or folder stays behind.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.audit import (
    surroundings_files,
    surroundings_machine,
    surroundings_processes,
    surroundings_shell,
)
from tests.audit.surroundings_table import CannotBeHad, Launch, Surrounding
from tests.audit.surroundings_verbs import READS_TEXT, VERBS, WRITES, arguments, inputs

__all__ = ["Case", "cases", "short_cases", "trial"]

SECONDS = 60
SURROUNDINGS = (
    *surroundings_machine.ROWS,
    *surroundings_shell.ROWS,
    *surroundings_files.ROWS,
    *surroundings_processes.ROWS,
)
KINDS = {"all": tuple(VERBS), "writes": WRITES, "reads": READS_TEXT}


class Case(NamedTuple):
    """One surrounding and one verb."""

    surrounding: Surrounding
    verb: str

    def __str__(self) -> str:
        return f"{self.surrounding.name}: {self.verb}"


def cases() -> list[Case]:
    """The whole table."""
    return [
        Case(surrounding, verb)
        for surrounding in SURROUNDINGS
        for verb in KINDS.get(surrounding.verbs, (surrounding.verbs,))
    ]


def short_cases() -> list[Case]:
    """Those that start fast, a few of each kind."""
    return [Case(row, row.short) for row in SURROUNDINGS if row.short is not None]


def trial(case: Case, given: Path, folder: Path) -> str | None:
    """Run one case in a new folder; returns what is wrong with its end, or None.

    Args:
        case: what is tried.
        given: the folder of inputs, kept between trials.
        folder: where this trial works; it does not exist yet.

    Raises:
        CannotBeHad: this machine does not let us make the surroundings.
    """
    (folder / "tmp").mkdir(parents=True)
    inputs(given)
    launch = Launch(
        folder=folder,
        arguments=arguments(case.verb, given),
        corpus=str(given / "text.txt"),
        rows=given / "rows.tsv",
        out=str(folder / "out"),
        environment={**os.environ, "TMPDIR": str(folder / "tmp"), "OMP_NUM_THREADS": "1"},
    )
    with case.surrounding.change(launch):
        problems = [*_ended(launch), *_litter(folder)]
    return "; ".join(problems) or None


def _ended(launch: Launch) -> Iterator[str]:
    process = subprocess.Popen(
        launch.command(),
        stdin=launch.stdin,
        stdout=launch.stdout,
        stderr=launch.stderr,
        env=launch.environment,
        cwd=launch.cwd or launch.folder,
        preexec_fn=lambda: _prepare(launch),
    )
    if launch.signalled is not None:
        _signal(process, *launch.signalled)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        yield f"not ended after {SECONDS} s"
        return
    told = (err or b"").decode(errors="replace")
    shown = f"exit code {process.returncode}: {told[-600:]!r}"
    if "Traceback" in told or "a defect" in told or b"Traceback" in (out or b""):
        yield f"a traceback or a defect, {shown}"
    elif process.returncode not in (0, 2, 130) and not _interrupted(launch, process.returncode):
        yield shown
    elif process.returncode != 0 and launch.stderr is subprocess.PIPE:
        sentences = [line for line in told.splitlines() if line.startswith("foretext:")]
        if len(sentences) != 1:
            yield f"{len(sentences)} sentences, {shown}"
    if process.returncode == 130 and launch.signalled is None:
        yield f"stopped by no signal of ours, {shown}"


def _interrupted(launch: Launch, code: int) -> bool:
    """Whether it died of SIGINT after one of our signals; a shell calls that 130, too.

    CPython ends so where the signal came during an `exec`, such as that of a named tuple.
    """
    return launch.signalled is not None and code == -signal.SIGINT


def _prepare(launch: Launch) -> None:
    """Run in the new process before Python starts."""
    for kind, limit in launch.limits.items():
        resource.setrlimit(kind, (limit, limit))
    for action in launch.before:
        action()


def _signal(process: subprocess.Popen[bytes], number: int, seconds: float) -> None:
    """Send a signal some time after the command has begun to listen to SIGTERM.

    A Python that is leaving listens no more: then all is done, and nothing is sent.
    """
    while process.poll() is None and not _listens(process.pid, signal.SIGTERM):
        time.sleep(0.005)
    time.sleep(seconds)
    if process.poll() is None and _listens(process.pid, signal.SIGTERM):
        process.send_signal(number)


def _listens(pid: int, number: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def _litter(folder: Path) -> Iterator[str]:
    left = sorted(path.name for path in folder.rglob(".*.partial"))
    if left:
        yield f"left behind: {', '.join(left)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Try the table, or what is chosen of it; returns 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of surroundings' names")
    parser.add_argument("--verbs", nargs="*", default=list(VERBS))
    chosen = parser.parse_args(argv)
    wrong = tried = 0
    for case in cases():
        if case.verb not in chosen.verbs:
            continue
        if not any(part in case.surrounding.name for part in chosen.only):
            continue
        chosen.folder.mkdir(parents=True, exist_ok=True)
        try:
            place = Path(tempfile.mkdtemp(dir=chosen.folder)) / "trial"
            problem = trial(case, chosen.folder / "inputs", place)
        except CannotBeHad as reason:
            print(f"{case}: skipped, {reason}")
            continue
        tried += 1
        if problem is not None:
            wrong += 1
            print(f"{case}: {problem}", flush=True)
    print(f"{tried} trials, {wrong} bad")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
