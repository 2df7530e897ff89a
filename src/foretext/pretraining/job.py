"""What one pretraining has to do: a recipe, a corpus and, by option, a model to train further.

Runs that torchrun starts again: where a process died, all begin once more by the same command. A
run that the same job of torchrun began goes on from its last checkpoint, as with ``--resume``. An
unfinished run of another job is refused, as ever. A job is known by its id and by the address at
which its processes meet, which has another port in each job. Where neither is chosen anew
(``--rdzv-backend static``, without an id) the number of the restart has to say so. By itself that
number is no sign: a machine that has lost no process counts no restart.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from foretext._version import __version__
from foretext.base.errors import ClusterError, CorpusError, Interrupted, OutputError
from foretext.base.files import (
    atomic_file,
    held_folder,
    output_error,
    refuse_name,
    temporary_folder,
)
from foretext.base.interruption import GO_ON, NOTHING_YET
from foretext.base.leaving import undone_when_leaving
from foretext.base.replacement import complete
from foretext.base.runtime import command_began, num_restarts
from foretext.base.terminal import say
from foretext.corpus import Corpus
from foretext.corpus.blocks import Beginning, first_bytes
from foretext.corpus.text_shards import TextShards
from foretext.corpus.texts import SourceNames
from foretext.messages import message
from foretext.pretraining.plan.times import Closing
from foretext.pretraining.shared import SharedFolder
from foretext.progress import MetricsLog
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.shards import ShardEngine
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = [
    "Base",
    "Job",
    "PretrainingJob",
    "Sources",
    "goes_on_after_restart",
    "keep_job",
    "run_folder",
]

Sources = SourceNames
Base = Union[str, Path, WordVectors, "LanguageModel", None]  # the model that is trained further

JOB = "torchrun.txt"  # beside the checkpoints
ID = "TORCHELASTIC_RUN_ID"
UNNAMED = "none"  # the id of jobs that got none

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
            say(message("terminal.note", said=sentence), error=True)

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


@dataclass(frozen=True, kw_only=True)
class PretrainingJob(Job):
    """One pretraining: what is learned from which text."""

    recipe: Recipe
    corpus: Sources
    base: Base = None
    teacher: LanguageModel | None = None  # whose answers are learned beside the text
    found: Corpus | None = None  # the corpus, where it is open already
    budget: Budget | None = (
        None  # for everything; see `foretext.pretraining.budget` for what follows
    )
    beginning: Beginning | None = None  # of the corpus, which a budget may cut short
    is_fixed: bool = False  # whether that is decided, so that no budget cuts it
    shards: TextShards | None = None  # processes that read the text, in the place of threads
    shared: SharedFolder | None = None  # what other runs have made of the text, and will use
    closing: Closing = field(default_factory=Closing)  # what is written after the training
    limit: Budget | None = None  # of the training alone

    def text(self) -> Corpus:
        """Return the corpus as the recipe reads it.

        A stream can be read once only: call `opened` first where the text is read again.
        """
        return self.beginning or self.found or Corpus(self.corpus, self.recipe.corpus)

    def opened(self) -> PretrainingJob:
        """Return this job with its corpus open, so that all readers share a stream's copy."""
        return replace(self, found=self.text())

    def fixed(self, text_bytes: int | None) -> PretrainingJob:
        """Return this job with so many stored bytes of its corpus, or all; no budget cuts more."""
        text = self.text()
        return replace(self, found=text, beginning=first_bytes(text, text_bytes), is_fixed=True)

    def shortened(self, text_rate: float) -> PretrainingJob:
        """Return this job with the beginning of its corpus, by a share of the stored bytes."""
        text = self.text()
        if text_rate >= 1 or text.num_bytes is None:
            return self
        return replace(self, beginning=Beginning(text, round(text_rate * text.num_bytes)))

    def training_context(self) -> AbstractContextManager[RunContext]:
        """Open what the training of the recipe writes to."""
        rate = self.recipe.data.valid_rate
        engine = None if self.shards is None else self.shards.engine
        return self.context(self.recipe.name, valid_rate=rate, budget=self.limit, engine=engine)

    def drop_shards(self) -> None:
        """Remove what is known of shards of the text, once all of it is encoded."""
        if self.shards is not None or self.run.has_shards:
            shutil.rmtree(self.run.shards, ignore_errors=True)

    def facts(self, learned: Mapping[str, Any]) -> dict[str, Any]:
        """Return what ``config.json`` says of the run, with what was learned."""
        kind, recipe = self.recipe.kind.name, self.recipe.name
        return {"foretext": __version__, "kind": kind, "recipe": recipe, **learned}

    @property
    def used_text(self) -> dict[str, float]:
        """What the facts of a run say of a text that a budget has cut short."""
        share = 1.0 if self.beginning is None else self.beginning.share
        return {} if share == 1 else {"text_rate": round(share, 4)}


def goes_on_after_restart(out: str | Path | None) -> bool:
    """Whether torchrun has started this job again, and its run is in the folder `out`."""
    if out is None or not _job() or (os.environ[ID] == UNNAMED and not num_restarts()):
        return False
    run = RunFolder.unfinished(out)
    kept = run.checkpoints / JOB
    return kept.is_file() and kept.read_text(encoding="utf-8", errors="replace") == _job()


def keep_job(run: RunFolder) -> None:
    """Note which job of torchrun has begun a run, if one has."""
    if job := _job():
        with atomic_file(run.checkpoints / JOB) as temporary:
            temporary.write_text(job, encoding="utf-8", newline="\n")


def _job() -> str:
    """Return what tells this job from others; empty: torchrun has not started this process."""
    if not (name := os.environ.get(ID)):
        return ""
    return f"{name} {os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"


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
    return GO_ON if run.begun else NOTHING_YET


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
