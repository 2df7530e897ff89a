"""A campaign of kills: every stage, killed at its file operations, has to end as if it had not been.

``python -m tests.audit.kills FOLDER [--stages NAME ...] [--kills N] [--seed N]`` runs each stage once
without a kill, then again and again in forked processes. Each of these is killed before one of its
file operations (opening for writing, flushing, renaming, removing, making a folder), or at a random
moment, or stopped there by SIGTERM or SIGINT. Then the same command runs again, with ``--resume``
where it is refused as unfinished. What must hold:

- at no time is there a finished run that differs from the one before or the one to come;
- the second command ends with exit code 0;
- its files are equal to those of the run that was not killed, but for times;
- nothing else is left in the folder.

The parent imports everything and starts no thread, so that a fork costs little.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["COLUMNS"] = "100"

REPOSITORY = Path(__file__).parents[2]
TIMES = {
    "time", "seconds", "words_per_second", "tokens_per_second", "cells_per_second", "mfu",
}  # fmt: skip
NOT_COMPARED = {"train.log", "report.html", "README.md", "plan.json"}  # they tell times
MOST_SECONDS = 120  # of one command; more is a hang
HOW = ("SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT", "moment")


class Stage(NamedTuple):
    """A command whose result is a folder, or a file."""

    name: str
    arguments: Callable[[Path], list[str]]  # of the folder with the inputs; without the output
    before: Callable[[Path], list[str]] | None = None  # a command whose result is replaced
    is_run: bool = True  # may be resumed
    by_time: bool = False  # its result depends on how fast it was; it is not compared
    report: bool = False  # with its page, which takes longer than all the rest


class Verdict(NamedTuple):
    """What came of one kill."""

    stage: str
    how: str
    operation: int  # before which it was killed
    problem: str | None  # None: all is well


# --- the stages ---------------------------------------------------------------------------------


def _vectors(recipe: str, *settings: str) -> Callable[[Path], list[str]]:
    chosen = ("vectors.workers=1", "tokenizer.min_count=1", "vectors.vector_size=8", *settings)
    return lambda folder: ["pretrain", recipe, str(folder / "text.txt"), *_set(chosen)]


def _language_model(recipe: str, *settings: str) -> Callable[[Path], list[str]]:
    chosen = (
        "backbone.num_layers=1", "backbone.dim=16", "backbone.num_heads=2", "training.steps=6",
        "backbone.max_length=32", "training.batch_examples=8", "training.valid_steps=3",
        "tokenizer.vocab_size=120", "training.checkpoint_seconds=0", *settings,
    )  # fmt: skip
    return lambda folder: ["pretrain", recipe, str(folder / "text.txt"), *_set(chosen)]


def _task(task: str, base: str, *settings: str) -> Callable[[Path], list[str]]:
    def arguments(folder: Path) -> list[str]:
        from tests.task_files import TaskFiles

        files = TaskFiles(folder)
        given = ["finetune", task, base, str(files.train(task)), "--test", str(files.test(task))]
        return [*given, *_set(settings)]

    return arguments


def _network(task: str, base: str, *settings: str) -> Callable[[Path], list[str]]:
    shape = {
        "lstm": ("backbone.vector_size=8", "backbone.dim=8"),
        "textcnn": ("backbone.vector_size=8", "backbone.num_maps=4", "backbone.widths=[1, 2]"),
        "transformer": (
            "backbone.num_layers=1", "backbone.dim=16", "backbone.num_heads=2",
            "backbone.max_length=48",
        ),
    }  # fmt: skip
    training = ("training.steps=4", "training.batch_examples=8", "training.checkpoint_seconds=0")
    return _task(task, base, *shape[base], *training, *settings)


STAGES = [
    Stage(
        "word2vec",
        _vectors("word2vec", "vectors.epochs=1", "vectors.checkpoint_seconds=0"),
        report=True,
    ),
    Stage("fasttext", _vectors("fasttext", "vectors.epochs=1", "vectors.bucket=500")),
    Stage("glove", _vectors("glove", "vectors.epochs=2", "vectors.checkpoint_seconds=0")),
    Stage("bert", _language_model("bert")),
    Stage("gpt", _language_model("gpt", "training.keep=best")),
    Stage(
        "autoencoder",
        lambda folder: [
            "pretrain", "linear-autoencoder", str(folder / "images.npy"),
            *_set(("training.epochs=1", "autoencoder.dim=4")),
        ],
    ),
    Stage(
        "tokenizer",
        lambda folder: ["tokenizer", str(folder / "text.txt"), "--vocab-size", "120"],
        is_run=False,
    ),
    Stage(
        "word tokenizer",
        lambda folder: ["tokenizer", str(folder / "text.txt"), "--kind", "words"],
        is_run=False,
    ),
    Stage("classification", _network("classification", "textcnn")),
    Stage("matching", _network("matching", "lstm")),
    Stage("tagging", _network("tagging", "lstm")),
    Stage("span_qa", _network("span_qa", "transformer")),
    Stage("seeds", _network("classification", "lstm", "finetuning.seeds=2")),
    Stage(
        "search",
        lambda folder: [*_network("classification", "textcnn")(folder), "--search", "0.3s"],
        by_time=True,
    ),
    Stage("fasttext classifier", _task("classification", "fasttext", "classifier.workers=1")),
    Stage("linear classifier", _task("classification", "linear")),
    Stage(
        "overwrite",
        _vectors("word2vec", "vectors.epochs=1", "vectors.seed=2"),
        before=_vectors("word2vec", "vectors.epochs=1"),
        report=True,
    ),
    Stage(
        "overwrite a task",
        _network("classification", "textcnn"),
        before=_vectors("word2vec", "vectors.epochs=1"),
    ),
]  # fmt: skip


def _set(settings: Sequence[str]) -> list[str]:
    return [part for setting in settings for part in ("--set", setting)]


def write_inputs(folder: Path) -> None:
    """Write what the stages learn from."""
    import numpy as np

    from tests.networks import sentences
    from tests.task_files import write_task_files

    (folder / "text.txt").write_text(sentences(120), encoding="utf-8")
    np.save(folder / "images.npy", np.random.default_rng(0).random((40, 6, 6), np.float32))
    write_task_files(folder)


# --- running a command in a fork ------------------------------------------------------------------


class Killer:
    """Counts the file operations in a folder, and kills the process before one of them.

    Args:
        root: the folder.
        operation: the number of the operation; None: no kill.
        how: a signal's name.
    """

    def __init__(self, root: Path, operation: int | None, how: str = "SIGKILL") -> None:
        self.root, self.operation, self.how = str(root), operation, how
        self.count = 0
        sys.addaudithook(self._heard)
        flush = os.fsync

        def fsync(handle: int) -> None:
            self._one_more()
            flush(handle)

        os.fsync = fsync

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes and str(path).startswith(self.root):
                self._one_more()
        elif event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"):
            path = str(arguments[0])
            if path.startswith(self.root) or not path.startswith("/"):  # relative to a handle
                self._one_more()

    def _one_more(self) -> None:
        self.count += 1
        if self.count == self.operation:
            os.kill(os.getpid(), getattr(signal, self.how))


class Ended(NamedTuple):
    """How a command ended."""

    code: int  # minus the signal's number, where one killed it
    said: str  # on standard error
    operations: int


def run_command(
    arguments: Sequence[str], root: Path, operation: int | None = None, how: str = "SIGKILL",
    seconds: float | None = None,
) -> Ended:  # fmt: skip
    """Run a command of foretext in a fork; `seconds`: kill it after so long, wherever it is."""
    said, counted = root / ".said", root / ".counted"
    counted.write_text("0")
    child = os.fork()
    if child == 0:
        _be_foretext(arguments, root / "work", operation, how, said, counted)
    until = time.monotonic() + MOST_SECONDS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        now = time.monotonic()
        if seconds is not None and now > until - MOST_SECONDS + seconds:
            os.kill(child, signal.SIGKILL)
            seconds = None
        if now > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Ended(-99, f"hung for {MOST_SECONDS} s", 0)
        time.sleep(0.002)
    text = said.read_text(encoding="utf-8", errors="replace")
    return Ended(os.waitstatus_to_exitcode(status), text, int(counted.read_text() or 0))


def _be_foretext(
    arguments: Sequence[str], root: Path, operation: int | None, how: str, said: Path, counted: Path
) -> None:
    code = 1
    try:
        with said.open("w", encoding="utf-8") as errors:
            os.dup2(errors.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.argv = ["foretext", *arguments]
            killer = Killer(root, operation, how)
            try:
                from foretext.cli import main

                main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            counted.write_text(str(killer.count))
    finally:
        os._exit(code)


# --- what must hold ---------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, Any]:
    """What a result holds, by name of its files, without what tells times."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _content(path) for path in files}


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
        _warm(self._command())
        self._prepare()
        began = time.monotonic()
        ended = run_command(self._command(), root)
        self.seconds = time.monotonic() - began
        if ended.code != 0:
            raise AssertionError(f"{stage.name}: the unbroken run ended with {ended}")
        self.num_operations = ended.operations
        self.wanted = contents(self.work)

    def kill(self, operation: int, how: str) -> Verdict:
        """Kill once, run again, and judge."""
        self._prepare()
        if how == "moment":
            seconds = self.rng.uniform(0, self.seconds)
            run_command(self._command(), self.root, seconds=seconds)
        else:
            run_command(self._command(), self.root, operation, how)
        problem = self._half_done()
        if problem is None:
            again = self._run_again()
            problem = self._judged(again)
        return Verdict(self.stage.name, how, operation, problem)

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
        found = {name: value for name, value in contents(self.out).items() if self._is_part(name)}
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
        if ended.code == 2 and "unfinished run" in ended.said:
            return run_command(self._command("--resume"), self.root)
        if ended.code == 2 and ("a finished run" in ended.said or " exists" in ended.said):
            return Ended(0, ended.said, ended.operations)  # the kill came after the end
        return ended

    def _judged(self, again: Ended) -> str | None:
        if again.code != 0:
            return f"run again: exit code {again.code}: {again.said.strip()[-300:]}"
        return differences(contents(self.work), self.wanted, by_time=self.stage.by_time)


def _quietly(stage: Stage) -> list[str]:
    page = [] if stage.report or not stage.is_run else ["--no-report"]
    return ["--quiet", *page]


def _warm(arguments: Sequence[str]) -> None:
    """Run a command here, so that forks find its machine code; its page would leave threads."""
    from foretext.cli import main

    given = [part for part in arguments if part != "--no-report"]
    runs = given[0] in ("pretrain", "finetune")
    sys.argv = ["foretext", *given, *(["--no-report"] if runs else [])]
    with Path(os.devnull).open("w") as null, contextlib.redirect_stdout(null):
        with contextlib.suppress(SystemExit):
            main()


def audit(
    folder: Path, names: Sequence[str] = (), kills: int | None = None, seed: int = 0
) -> list[Verdict]:
    """Kill stages; `kills` of each at most, drawn by `seed`; None: at every operation, every way."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    write_inputs(inputs)
    rng = random.Random(seed)
    verdicts: list[Verdict] = []
    for number, stage in enumerate(stage for stage in STAGES if not names or stage.name in names):
        root = folder / f"stage-{number}"
        root.mkdir()
        campaign = Campaign(stage, inputs, root, rng)
        ways = range(1, campaign.num_operations + 1)
        chosen = [(operation, "SIGKILL") for operation in ways]
        chosen += [(operation, rng.choice(("SIGTERM", "SIGINT", "moment"))) for operation in ways]
        if kills is not None:
            chosen = rng.sample(chosen, min(kills, len(chosen)))
        found = [campaign.kill(*each) for each in chosen]
        bad = sum(verdict.problem is not None for verdict in found)
        taken = f"{campaign.seconds:.1f} s a run"
        say(f"{stage.name}: {campaign.num_operations} operations, {taken}, {len(found)} kills, {bad} bad")
        verdicts += found
        shutil.rmtree(root, ignore_errors=True)
    return verdicts


def say(line: str) -> None:
    print(line, flush=True)


def _import_everything() -> None:
    import altair
    import optuna
    import torch
    import vl_convert

    import foretext.cli.app
    import foretext.pipeline.autoencoders
    import foretext.pipeline.fasttext_classifier
    import foretext.pipeline.language_models
    import foretext.pipeline.linear_classifier
    import foretext.pipeline.task_learning
    import foretext.pipeline.task_search
    import foretext.report.run_report  # noqa: F401

    torch.set_num_threads(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stages", nargs="*", default=[])
    parser.add_argument("--kills", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    _import_everything()
    verdicts = audit(options.folder, options.stages, options.kills, options.seed)
    for verdict in verdicts:
        if verdict.problem is not None:
            line = f"{verdict.stage}, {verdict.how} at {verdict.operation}: {verdict.problem}"
            say(re.sub(r"\s+", " ", line))
    bad = sum(verdict.problem is not None for verdict in verdicts)
    say(f"{len(verdicts)} kills, {bad} bad")
    sys.exit(bool(bad))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
