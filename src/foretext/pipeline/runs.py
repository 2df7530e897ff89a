"""The folder that a run works in, and what it may go on with."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from foretext.artifact import RunFolder
from foretext.corpus import Corpus
from foretext.errors import SettingError
from foretext.files import held_folder
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.workplace import Workplace
from foretext.recipe import Recipe
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["Base", "Job", "Sources", "check_same", "run_folder"]

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
            print(f"note: {sentence}", file=sys.stderr)

    @contextmanager
    def workplace(self) -> Iterator[Workplace]:
        """Open what a training writes to."""
        with MetricsLog(self.run.metrics) as log:
            yield Workplace(
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
    """The folder of the run, held by it alone: a temporary one for a run that is not kept.

    Raises:
        OutputError: it holds another run, or another process is at work in it, or it cannot be
            written.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="foretext-") as folder:
            yield RunFolder(folder)
        return
    run = RunFolder(out)
    with held_folder(run.path):
        run.begin(overwrite=overwrite, resume=resume)
    with held_folder(run.path):
        try:
            yield run
        except BaseException:
            if not resume:  # what an earlier attempt left is not this one's to remove
                run.abandon()
            raise


def check_same(recipe: Recipe, run: RunFolder) -> None:
    """Refuse to resume a run with another recipe than it began with."""
    before = Recipe.load(run.recipe).sections()
    for section, settings in recipe.sections().items():
        for setting in sorted(settings.keys() | before.get(section, {}).keys()):
            old, new = before.get(section, {}).get(setting), settings.get(setting)
            if old != new and setting not in FREE_TO_CHANGE:
                raise SettingError(
                    f"{run.path} began with {section}.{setting} = {old!r}, not {new!r}; "
                    "resume with the same settings, or begin a run in another folder."
                )
