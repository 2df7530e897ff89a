"""The folder that a run works in, and what it may go on with."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from foretext.corpus import Corpus
from foretext.errors import Interrupted, OutputError, SettingError
from foretext.files import held_folder, output_error, refuse_name, temporary_folder
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.replacement import complete
from foretext.run_folder import RunFolder
from foretext.terminal import say
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["Base", "Job", "Report", "Sources", "check_same", "run_folder"]

# Between a run and its resume.
FREE_TO_CHANGE = (
    "workers",
    "checkpoint_seconds",
    "checkpoints_kept",
    "memory",
    "micro_batch_examples",
    "shard",
    "tensorboard",
)

Sources = str | Path | Sequence[str | Path]
Report = Callable[[RunFolder], object]
Base = Union[str, Path, WordVectors, "LanguageModel", None]  # what a run goes on from


@dataclass(frozen=True)
class Job:
    """One run: what is to be done, and where."""

    recipe: Recipe
    corpus: Sources
    run: RunFolder
    base: Base = None
    keep: bool = True  # whether the folder outlives the run
    resume: bool = False
    quiet: bool = True
    budget: float | None = None  # seconds for everything, where the run was planned
    began: float = field(default_factory=time.monotonic)
    found: Corpus | None = None  # where it was found already
    report: Report | None = None  # writes the page of the run; None: none is wanted

    def text(self) -> Corpus:
        """Return the corpus as the recipe reads it.

        A stream is read once: who needs the text again goes on with `opened`.
        """
        return self.found or Corpus(self.corpus, self.recipe.corpus)

    def opened(self) -> Job:
        """Return this job with its corpus found, so that all readers share a stream's copy."""
        return replace(self, found=self.text())

    def note(self, sentence: str) -> None:
        """Say something in the run's log and, unless quiet, to the person who waits."""
        self.run.note(sentence)
        if not self.quiet:
            say(f"note: {sentence}", error=True)

    @contextmanager
    def context(self) -> Iterator[RunContext]:
        """Open what a training writes to."""
        with MetricsLog(self.run.metrics) as log:
            yield RunContext(
                self.run.path,
                title=self.recipe.name,
                valid_rate=self.recipe.data.valid_rate,
                log=log if self.keep else None,
                checkpoints=Checkpoints(self.run.checkpoints, self.note) if self.keep else None,
                resume=self.resume,
                quiet=self.quiet,
            )


@contextmanager
def run_folder(out: str | Path | None, *, overwrite: bool, resume: bool) -> Iterator[RunFolder]:
    """The folder of the run, locked by this process: a temporary one for a run that is not kept.

    A run that fails is removed where it has learned nothing, because its settings or its text will
    not do. Where it was stopped, or could not be written, what is there stays to be resumed.

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
        try:
            run.begin(overwrite=overwrite, resume=resume)
            yield run
        except (OutputError, MemoryError):
            _remove_empty(run, is_new=is_new)
            raise
        except BaseException as error:
            stopped = isinstance(error, Interrupted | KeyboardInterrupt)
            if not resume and not (stopped and run.tokens.is_dir()):
                run.abandon()  # what an earlier attempt left is not this one's to remove
            _remove_empty(run, is_new=is_new)
            raise


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


def check_same(recipe: Recipe, run: RunFolder) -> None:
    """Refuse to resume a run with another recipe than it began with."""
    before = Recipe.of_run(run.recipe).sections()
    for section, settings in recipe.sections().items():
        for setting in sorted(settings.keys() | before.get(section, {}).keys()):
            old, new = before.get(section, {}).get(setting), settings.get(setting)
            if old != new and setting not in FREE_TO_CHANGE:
                raise SettingError(
                    f"{run.named} began with {section}.{setting} = {old!r}, not {new!r}; "
                    "resume with the same settings, or begin a run in another folder."
                )
