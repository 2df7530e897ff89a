"""Every stage, killed at its file operations, has to end as if it had not been killed.

``python -m tests.audit.kills FOLDER [--stages NAME ...] [--kills N] [--minutes M] [--seed N]`` runs
each stage once without a kill, then again and again in forked processes. Each of these is killed
before one of its file operations (opening for writing, flushing, renaming, removing, making a
folder), or at a random moment, or stopped there by SIGTERM or SIGINT, or finds the disk full from
there on, which has to be one sentence. Then the same command runs again, with ``--resume`` where it
is refused as unfinished. What must hold:

- at no time is there a finished run that differs from the one before or the one to come;
- the second command ends with exit code 0;
- its files are equal to those of the run that was not killed, but for times;
- nothing else is left in the folder.

The parent imports everything and starts no thread, so that a fork costs little.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.audit.forks import FULL_DISK, Ended, run_command, warm
from tests.audit.kill_stages import STAGES, Stage, write_inputs

TIMES = {
    "time", "seconds", "words_per_second", "tokens_per_second", "cells_per_second", "mfu",
}  # fmt: skip
NOT_COMPARED = {"train.log", "report.html", "README.md", "plan.json"}  # they tell times
HOW = ("SIGTERM", "SIGINT", "moment", FULL_DISK)
IMPORTED = (  # what a command imports when it is used, so that forks find it
    "jinja2", "optuna", "foretext.cli.app", "foretext.pretraining.autoencoders",
    "foretext.finetuning.fasttext", "foretext.pretraining.language_models",
    "foretext.finetuning.linear", "foretext.finetuning.network",
    "foretext.finetuning.run", "foretext.finetuning.run", "foretext.report.run_report",
    "foretext.search", "usearch.index",
)  # fmt: skip


class Verdict(NamedTuple):
    """What came of one kill."""

    stage: str
    how: str
    operation: int  # before which it was killed
    problem: str | None  # None: all is well


def contents(folder: Path, is_part: Callable[[str], bool] = lambda name: True) -> dict[str, Any]:
    """What a result holds, by name of its files, without what tells times.

    A file that is no part of the result is not opened: a kill may have left it half written.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {str(path.relative_to(folder)): path for path in files}
    return {name: _content(path) for name, path in named.items() if is_part(name)}


def _content(path: Path) -> Any:
    if path.name in NOT_COMPARED:
        return None
    if path.suffix == ".jsonl":
        return [_without_times(json.loads(line)) for line in path.read_text().splitlines()]
    if path.suffix == ".json":
        return _without_times(json.loads(path.read_text()))
    return path.read_bytes()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key not in TIMES}
    return [_without_times(item) for item in value] if isinstance(value, list) else value


def differences(found: dict[str, Any], wanted: dict[str, Any], *, by_time: bool) -> str | None:
    """Say how two results differ; None where they do not."""
    if missing := sorted(wanted.keys() - found.keys()):
        return f"missing: {', '.join(missing)}"
    if more := sorted(found.keys() - wanted.keys()):
        return f"left over: {', '.join(more)}"
    unequal = [name for name, content in wanted.items() if found[name] != content]
    return f"unequal: {', '.join(unequal)}" if unequal and not by_time else None


class Campaign:
    """All kills of one stage.

    Args:
        stage: of `STAGES`.
        inputs: folder with what it learns from.
        root: an empty folder to work in.
        rng: draws the moments.
    """

    def __init__(self, stage: Stage, inputs: Path, root: Path, rng: random.Random) -> None:
        self.stage, self.inputs, self.root, self.rng = stage, inputs, root, rng
        self.work = root / "work"
        self.out = self.work / "out"
        self.old: dict[str, Any] | None = None
        self._prepare()
        warm(self._command())
        self._prepare()
        began = time.monotonic()
        ended = run_command(self._command(), root)
        self.seconds = time.monotonic() - began
        if ended.code != 0:
            raise AssertionError(f"{stage.name}: the unbroken run ended with {ended}")
        self.num_operations = ended.operations
        self.wanted = contents(self.work)

    def kills(self, number: int | None) -> list[tuple[int, str]]:
        """Return operations to kill at, and how, in a random order."""
        operations = range(1, self.num_operations + 1)
        chosen = [(operation, "SIGKILL") for operation in operations]
        chosen += [(operation, self.rng.choice(HOW)) for operation in operations]
        self.rng.shuffle(chosen)
        return chosen[:number]

    def kill(self, operation: int, how: str) -> Verdict:
        """Kill once, run again, and judge."""
        self._prepare()
        problem = None
        if how == "moment":
            seconds = self.rng.uniform(0, self.seconds)
            run_command(self._command(), self.root, seconds=seconds)
        else:
            ended = run_command(self._command(), self.root, operation, how)
            problem = _misspoken(ended) if how == FULL_DISK else None
        problem = problem or self._half_done()
        if problem is None:
            again = self._run_again()
            problem = self._judged(again)
        return Verdict(self.stage.name, how, operation, problem)

    def signal(
        self, number: signal.Signals, moment: float, judged: Callable[[Ended, Any], str | None]
    ) -> tuple[float, str | None]:
        """Send a signal after some seconds, run again; returns how long the end took, and why not.

        Args:
            number: the signal.
            moment: seconds after the start.
            judged: says what is wrong with the end.
        """
        self._prepare()
        ended = run_command(self._command(), self.root, seconds=moment, number=number)
        problem = judged(ended, number) or self._half_done() or self._judged(self._run_again())
        return ended.waited, problem

    def _command(self, *options: str) -> list[str]:
        replaces = ["--overwrite"] if self.stage.before and "--resume" not in options else []
        given = self.stage.arguments(self.inputs)
        return [*given, "-o", str(self.out), *_quietly(self.stage), *replaces, *options]

    def _prepare(self) -> None:
        """Empty the folder; where something is to be replaced, put it there."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        if self.stage.before is None:
            return
        kept = self.root / "before"
        if not kept.exists():
            given = self.stage.before(self.inputs)
            ended = run_command([*given, "-o", str(self.out), *_quietly(self.stage)], self.root)
            assert ended.code == 0, ended
            self.old = contents(self.out)
            shutil.copytree(self.out, kept)
        else:
            shutil.copytree(kept, self.out)

    def _half_done(self) -> str | None:
        """A finished run must be the one before or the one to come, and nothing between."""
        if not self.stage.is_run:
            return None
        from foretext.artifact import opened_run

        run = opened_run(self.out)
        if not run.finished:
            return "the finished run is lost" if self.stage.before else None
        try:
            found = contents(self.out, self._is_part)
        except ValueError as error:  # JSON that ends too early
            return f"finished, but a file is half written: {error}"
        wanted = {name.removeprefix("out/"): value for name, value in self.wanted.items()}
        if self.old is not None and differences(found, self.old, by_time=False) is None:
            return None
        unlike = differences(found, wanted, by_time=self.stage.by_time)
        return None if unlike is None else f"finished, but {unlike}"

    def _is_part(self, name: str) -> bool:
        """Litter, and a replacement that is being written, are no part of a run."""
        return not name.startswith("replacement/") and not name.split("/")[0].endswith(".partial")

    def _run_again(self) -> Ended:
        ended = run_command(self._command(), self.root)
        if ended.code == 2 and "holds an unfinished" in ended.said:
            return run_command(self._command("--resume"), self.root)
        if ended.code == 2 and ("a finished " in ended.said or " exists" in ended.said):
            return Ended(0, ended.said, ended.operations)  # the kill came after the end
        return ended

    def _judged(self, again: Ended) -> str | None:
        if again.code != 0:
            return f"run again: exit code {again.code}: {again.said.strip()[-300:]}"
        return differences(contents(self.work), self.wanted, by_time=self.stage.by_time)


def _misspoken(ended: Ended) -> str | None:
    """Say what was wrong with the answer to a full disk; None: it was one sentence, or well."""
    if ended.code == 0 or (ended.code == 2 and ended.said.count("foretext: ") == 1):
        return None
    return f"exit code {ended.code}: {ended.said.strip()[-300:]}"


def _quietly(stage: Stage) -> list[str]:
    has_none = stage.report or not stage.is_run or not stage.has_page
    page = [] if has_none else ["--no-report"]
    return ["--quiet", *page]


def campaigns(folder: Path, names: Sequence[str], rng: random.Random) -> Iterator[Campaign]:
    """Yield a campaign for each stage, or for those of `names`."""
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("torch").set_num_threads(1)
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    write_inputs(inputs)
    for number, stage in enumerate(stage for stage in STAGES if not names or stage.name in names):
        root = folder / f"stage-{number}"
        root.mkdir()
        yield Campaign(stage, inputs, root, rng)
        shutil.rmtree(root, ignore_errors=True)


def audit(
    folder: Path,
    names: Sequence[str] = (),
    kills: int | None = None,
    seed: int = 0,
    minutes: float | None = None,
) -> list[Verdict]:
    """Kill stages and judge what comes of it.

    Args:
        folder: to work in; it is made.
        names: of stages; none: all of them.
        kills: of each stage at most, drawn at random; None: SIGKILL at every operation, and as many
            other ends.
        seed: of what is drawn.
        minutes: of all stages together, about; each gets an equal share.
    """
    rng = random.Random(seed)
    verdicts: list[Verdict] = []
    share = None if minutes is None else 60 * minutes / (len(names) or len(STAGES))
    for campaign in campaigns(folder, names, rng):
        until = None if share is None else time.monotonic() + share
        chosen = campaign.kills(kills)
        found = []
        for operation, how in chosen:
            if until is not None and found and time.monotonic() > until:
                break
            found.append(campaign.kill(operation, how))
        bad = sum(verdict.problem is not None for verdict in found)
        counted = f"{campaign.num_operations} operations, {len(found)} kills, {bad} bad"
        print(f"{campaign.stage.name}: {counted}", flush=True)
        verdicts += found
    return verdicts


def main() -> None:
    """Read the command line, and end with 1 where anything was bad."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stages", nargs="*", default=[])
    parser.add_argument("--kills", type=int, default=None, help="of each stage")
    parser.add_argument("--minutes", type=float, default=None, help="of all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    verdicts = audit(given.folder, given.stages, given.kills, given.seed, given.minutes)
    bad = [verdict for verdict in verdicts if verdict.problem is not None]
    for verdict in bad:
        line = f"{verdict.stage}, {verdict.how} at {verdict.operation}: {verdict.problem}"
        print(re.sub(r"\s+", " ", line))
    print(f"{len(verdicts)} kills, {len(bad)} bad")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
