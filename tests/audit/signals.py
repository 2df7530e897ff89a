"""Every verb, asked to end by SIGINT or SIGTERM at random moments: how long that takes.

``python -m tests.audit.signals FOLDER [--signals N] [--seed N] [--only NAME ...]`` goes round three
kinds of commands, one signal a turn:

- stages (`kill_stages.py`) in forked processes, which are run again, and have to come to the same
  bits;
- all other verbs, as a shell starts them, imports included;
- commands that are in one native call for longer than a signal may wait (`signal_cases.py`).

Each has to end within `MOST_SECONDS`, with exit code 130 and one sentence, or with its work done.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.audit.folders import finished
from tests.audit.forks import Ended
from tests.audit.kill_stages import STAGES
from tests.audit.kills import Campaign, campaigns
from tests.audit.signal_cases import LONG, VERBS, write_long_inputs

MOST_SECONDS = 5.0
HANGS = 60.0  # seconds after the signal; then it is killed
NUMBERS = (signal.SIGINT, signal.SIGTERM)
LONG_SECONDS = 30.0  # within which a long command gets its signal
SENTENCE = re.compile(r"^foretext: .*(?:[Ss]topped|SIGINT|SIGTERM)", re.MULTILINE)


class Answer(NamedTuple):
    """What came of one signal."""

    name: str
    number: signal.Signals
    moment: float  # seconds after the start
    waited: float  # seconds from the signal to the end
    problem: str | None

    def __str__(self) -> str:
        said = f"{self.name}, {self.number.name} after {self.moment:.2f} s: {self.waited:.2f} s"
        return said if self.problem is None else f"{said}; {self.problem}"


def judged(ended: Ended, number: signal.Signals) -> str | None:
    """Say what is wrong with an end; None: nothing."""
    shown = f"exit code {ended.code}: {ended.said.strip()[-300:]!r}"
    if ended.waited > MOST_SECONDS:
        return f"too late, {shown}"
    if ended.said.endswith("KeyboardInterrupt\n") and "cli/entry.py" not in ended.said:
        return None  # Python itself was beginning, and nothing of ours had
    if "a defect" in ended.said or ("Traceback" in ended.said and ended.code != -number):
        return f"a traceback or a defect, {shown}"
    if ended.code == 130:
        return None if len(SENTENCE.findall(ended.said)) == 1 else f"not one sentence, {shown}"
    # Done before it came, or Python itself had not begun yet, or is leaving.
    return None if ended.code in (0, -number) else shown


def signalled_stage(campaign: Campaign, rng: random.Random) -> Answer:
    """Send a signal to a stage in a fork, run it again, and compare."""
    number, moment = rng.choice(NUMBERS), rng.uniform(0, campaign.seconds)
    return Answer(campaign.stage.name, number, moment, *campaign.signal(number, moment, judged))


def signalled_command(
    name: str, arguments: Sequence[str], root: Path, number: signal.Signals, moment: float
) -> Answer:
    """Send a signal to a process of its own."""
    (root / "said").parent.mkdir(parents=True, exist_ok=True)
    with (root / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "foretext", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, cwd=root,
            start_new_session=True,
        )  # fmt: skip
        waited = _ended_after(process, number, moment)
    ended = Ended(process.returncode, (root / "said").read_text("utf-8", "replace"), 0, waited)
    return Answer(name, number, moment, waited, judged(ended, number) or _left_alive(process.pid))


def _ended_after(process: subprocess.Popen[bytes], number: signal.Signals, moment: float) -> float:
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    else:
        return 0.0  # it was done before
    began = time.monotonic()
    try:
        process.wait(HANGS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return time.monotonic() - began


def _left_alive(session: int) -> str | None:
    """Say which processes of a command have outlived it by more than a signal may take."""
    until = time.monotonic() + MOST_SECONDS
    while found := list(_processes_of(session)):
        if time.monotonic() > until:
            return f"left alive: {', '.join(found)}"
        time.sleep(0.05)
    return None


def _processes_of(session: int) -> Iterator[str]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, facts = status.read_text().rpartition(")")
        except OSError:
            continue
        state, _, _, its_session = facts.split()[:4]
        if int(its_session) == session and state != "Z":
            yield name


def command_of(template: str, given: Path, out: Path) -> list[str]:
    """Fill in the arguments of a verb, and make the runs that it needs."""

    def filled(part: str) -> str:
        run = re.fullmatch(r"\{run-(.*)\}", part)
        text = str(finished(run[1].replace("~", " "))) if run else part.replace("~", " ")
        return text.replace("{in}", str(given)).replace("{out}", str(out))

    return [filled(part) for part in template.replace("{run ", "{run-").split()]


class Turns:
    """The commands that get signals, one after another.

    Args:
        folder: to work in; it is made.
        rng: draws signals and moments.
        only: parts of their names; none: all.
    """

    def __init__(self, folder: Path, rng: random.Random, only: Sequence[str] = ()) -> None:
        self._folder, self._rng, self._only = folder, rng, only
        self._stages = [stage.name for stage in STAGES if self._wanted(stage.name)]
        self._found = campaigns(folder / "stages", self._stages, rng) if self._stages else iter(())
        self._num_trials = 0

    def answers(self, number: int) -> Iterator[Answer]:
        """Yield what comes of signals: an equal share for each command."""
        kinds = [(self._verb, name) for name in VERBS if self._wanted(name)]
        kinds += [(self._long, name) for name in LONG if self._wanted(name)]
        total = len(kinds) + len(self._stages)
        for place in range(total):
            share = number // total + (place < number % total)
            if place < len(kinds):
                act, name = kinds[place]
                yield from (act(name) for _ in range(share))
            elif share:
                campaign = next(self._found)
                yield from (signalled_stage(campaign, self._rng) for _ in range(share))

    def _wanted(self, name: str) -> bool:
        return not self._only or any(part in name for part in self._only)

    def _root(self) -> Path:
        self._num_trials += 1
        root = self._folder / f"trial-{self._num_trials}"
        root.mkdir(parents=True)
        return root

    def _inputs(self) -> Path:
        from tests.audit.folders import inputs

        given = inputs()
        if not (given / "long.conll").exists():
            write_long_inputs(given)
        return given

    def _verb(self, name: str) -> Answer:
        root = self._root()
        arguments = command_of(VERBS[name], self._inputs(), root / "out")
        moment = self._rng.choice((0.3, 3.0)) * self._rng.random()  # imports, and the work
        if name in ("serve", "compare", "demo", "clean", "plan"):
            moment *= 4
        return signalled_command(name, arguments, root, self._rng.choice(NUMBERS), moment)

    def _long(self, name: str) -> Answer:
        root = self._root()
        arguments = LONG[name](self._inputs(), root / "out")
        moment = LONG_SECONDS * self._rng.random()
        return signalled_command(name, arguments, root, self._rng.choice(NUMBERS), moment)


def audit(folder: Path, number: int, seed: int = 0, only: Sequence[str] = ()) -> list[Answer]:
    """Send signals, and say for each command how long its ends took."""
    found: list[Answer] = []
    for answer in Turns(folder, random.Random(seed), only).answers(number):
        print(answer, flush=True)
        found.append(answer)
    return found


def undo_ignoring() -> None:
    """Let SIGINT reach the commands where a shell has this program ignore it, as after ``&``.

    A process inherits what is ignored. Until Python has begun, it would not notice the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def table(answers: Sequence[Answer]) -> Iterator[str]:
    """Yield a line for each command: signals, the longest wait, bad ends."""
    by_name: defaultdict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_name[answer.name].append(answer)
    for name, found in by_name.items():
        bad = sum(answer.problem is not None for answer in found)
        longest = max(answer.waited for answer in found)
        yield f"{name}: {len(found)} signals, at most {longest:.2f} s, {bad} bad"


def main() -> None:
    """Read the command line, and end with 1 where anything was bad."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--signals", type=int, default=200, help="of all commands together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    given = parser.parse_args()
    undo_ignoring()
    answers = audit(given.folder, given.signals, given.seed, given.only)
    print(*table(answers), sep="\n")
    bad = [answer for answer in answers if answer.problem is not None]
    print(f"{len(answers)} signals, {len(bad)} bad")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
