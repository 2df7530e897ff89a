"""The folder that a run works in, and the job that fills it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from foretext.base.errors import ClusterError, CorpusError, Interrupted, OutputError
from foretext.base.files import held_folder, output_error, refuse_name, temporary_folder
from foretext.base.interruption import GO_ON
from foretext.base.leaving import undone_when_leaving
from foretext.base.replacement import complete
from foretext.base.runtime import command_began
from foretext.base.terminal import say
from foretext.progress import MetricsLog
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.run_folder import RunFolder
from foretext.shards import ShardEngine

__all__ = ["Job", "Report", "run_folder"]

Report = Callable[[RunFolder], object]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run: the folder it works in, and how it goes about it."""

    run: RunFolder
    keep: bool = True  # whether the folder outlives the run
    resume: bool = False
    quiet: bool = True
    report: Report | None = None  # writes the page of the run; None: no page is wanted
    began: float = field(default_factory=command_began)  # by `time.monotonic`

    def note(self, sentence: str) -> None:
        """Write a sentence to the run's log and, unless quiet, to the terminal."""
        self.run.note(sentence)
        if not self.quiet:
            say(f"note: {sentence}", error=True)

    @contextmanager
    def context(
        self,
        title: str,
        *,
        valid_rate: float = 0.0,
        metrics: Path | None = None,
        checkpoints: Path | None = None,
        budget: Budget | None = None,
        engine: ShardEngine | None = None,
    ) -> Iterator[RunContext]:
        """Open what a training writes to.

        Args:
            title: of the progress bar.
            valid_rate: share to hold out, for components that hold out by themselves.
            metrics: file of the records; None: the run's own.
            checkpoints: their folder; None: the run's own.
            budget: of the training; None: as its settings say.
            engine: whose processes work on the text; None: threads do.
        """
        with MetricsLog(metrics or self.run.metrics) as log:
            folder = checkpoints or self.run.checkpoints
            yield RunContext(
                self.run.path,
                title=title,
                valid_rate=valid_rate,
                log=log if self.keep else None,
                checkpoints=Checkpoints(folder, self.note) if self.keep else None,
                resume=self.resume,
                quiet=self.quiet,
                note=self.note,
                warn=self.note,
                budget=budget,
                engine=engine,
            )


@contextmanager
def run_folder(out: str | Path | None, *, overwrite: bool, resume: bool) -> Iterator[RunFolder]:
    """The folder of the run, locked by this process: a temporary one for a run that is not kept.

    A run that fails before it has learned anything, because of its settings or its text, is
    removed. A run that was stopped, or could not be written, or has shards of its text, stays and
    can be resumed.

    Raises:
        OutputError: it holds another run, or another process is at work in it, or it cannot be
            written.
    """
    if out is None:
        with temporary_folder() as folder:
            yield RunFolder(folder)
        return
    run = RunFolder(out)
    is_new = _make_folder(run.named)
    with held_folder(run.named):
        complete(run.named)
        left = partial(_left, run, is_new=is_new, resume=resume)
        try:
            run.begin(overwrite=overwrite, resume=resume)
            with undone_when_leaving(left):
                yield run
        except (OutputError, ClusterError, MemoryError):
            _remove_empty(run, is_new=is_new)
            raise
        except BaseException as error:
            stopped = isinstance(error, Interrupted | KeyboardInterrupt)
            has_read = run.tokens.is_dir() if stopped else False
            has_read = has_read or (run.has_shards and not isinstance(error, CorpusError))
            if not resume and not has_read:
                run.abandon()  # what an earlier attempt left is not this one's to remove
            _remove_empty(run, is_new=is_new)
            raise


def _left(run: RunFolder, *, is_new: bool, resume: bool) -> str:
    """Remove a run that is left before it has read or learned anything; say how to go on."""
    if not (resume or run.tokens.is_dir() or run.has_shards):
        run.abandon()
    _remove_empty(run, is_new=is_new)
    return GO_ON if run.begun else "nothing was learned yet, so give the command again"


def _remove_empty(run: RunFolder, *, is_new: bool) -> None:
    """Leave no empty folder where there was none."""
    folders = [run.path] if run.path != run.named else []
    for folder in [*folders, *([run.named] if is_new else [])]:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


def _make_folder(path: Path) -> bool:
    """Make the folder of a run, or the one that a link leads to; False: it was there."""
    refuse_name(path)
    try:
        if path.is_dir():
            return False
        Path(os.path.realpath(path)).mkdir(parents=True)
    except OSError as error:
        raise output_error(path, error) from error
    return True
