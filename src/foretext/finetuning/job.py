"""One fine-tuning: what it begins with, what it gives, and who does it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from foretext.config import Config
from foretext.corpus.sources import find_sources
from foretext.run_folder import RunFolder
from foretext.terminal import say

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel
    from foretext.task_models.base import TaskModel
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["BaseModel", "Body", "FinetuneJob", "Finetuned", "Sections"]

Sections = Mapping[str, Mapping[str, Any]]
BaseModel = Union[str, Path, "LanguageModel", "WordVectors", "TaskModel"]


@dataclass(frozen=True)
class FinetuneJob:
    """One run: what is to be learned from what, and where it is kept."""

    task: str
    base: BaseModel
    train: str | Path
    run: RunFolder
    rows: Config  # how the files are read
    valid: str | Path | None = None
    test: str | Path | None = None
    settings: Sections = field(default_factory=dict)
    budget_seconds: float | None = None  # of the training
    search_seconds: float | None = None  # of a search for settings before it
    resume: bool = False
    quiet: bool = True

    def note(self, sentence: str) -> None:
        """Say something in the run's log and, unless quiet, to the person who waits."""
        self.run.note(sentence)
        if not self.quiet:
            say(f"note: {sentence}", error=True)

    def content(self) -> str:
        """Return a digest that tells whether files have changed; of a stream nothing is known."""
        files = [path for path in (self.train, self.valid) if path is not None]
        found = [source for path in files for source in find_sources(path)]
        known = [source.identity for source in found if source.size is not None]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()[:32]

    def described(self) -> dict[str, str]:
        """Return what is learned from what, as a recipe keeps it."""
        base = self.base if isinstance(self.base, str | Path) else type(self.base).__name__
        files = {"train": self.train, "valid": self.valid, "test": self.test}
        given = {name: str(path) for name, path in files.items() if path is not None}
        return {"task": self.task, "base": str(base), **given}


@dataclass(frozen=True)
class Finetuned:
    """What one run gave."""

    model: Any
    sections: Sections  # of the resolved recipe
    facts: dict[str, Any]  # of config.json
    card: str


@dataclass(frozen=True)
class Body:
    """How a kind of body learns a task."""

    sections: tuple[str, ...]  # of settings, beside `rows`
    learn: Callable[[FinetuneJob], Finetuned]
    writes_config: bool = True  # by the pipeline; False: the model writes its own
