"""A clean corpus: where it stands, and what is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from foretext.base.errors import OutputError
from foretext.base.parsing import read_json
from foretext.base.representation import represented
from foretext.cleaning.building import FACTS, REPORT
from foretext.cleaning.shard_folder import Change
from foretext.cleaning.writing import KEPT
from foretext.corpus import Corpus
from foretext.corpus.sources import DROPPED

__all__ = ["Cleaned", "CleaningFacts", "Count"]


class Count(BaseModel):
    """Documents, and the characters in them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    documents: int
    characters: int


class CleaningFacts(BaseModel):
    """What ``clean.json`` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    foretext: str
    read: Count
    kept: Count
    reasons: dict[str, int]  # documents that were dropped, by reason, most first
    languages: dict[str, int]  # documents that are kept
    language_by: str
    changed: int  # documents that normalising changed
    masked: dict[str, int]  # placeholders
    files: int
    bytes: int | None
    seconds: float
    warnings: list[str]
    notes: list[str] = []  # rules that were left out, and where
    settings: dict[str, dict[str, Any]]
    examples: dict[str, list[dict[str, Any]]]  # of what was dropped, by reason
    changes: list[Change]


@represented
class Cleaned:
    """A finished cleaning.

    Attributes:
        path: the folder of the results.
        facts: what was read, kept and dropped.

    Raises:
        OutputError: there is none, or its file is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.facts: CleaningFacts = read_json(self.path / FACTS, OutputError, CleaningFacts)

    @property
    def kept(self) -> Path:
        """The folder of the clean corpus."""
        return self.path / KEPT

    @property
    def dropped(self) -> Path:
        """The list of what was dropped: a row of JSON for each document."""
        return self.path / DROPPED

    @property
    def report(self) -> Path:
        """The page."""
        return self.path / REPORT

    @property
    def corpus(self) -> Corpus:
        """The clean corpus."""
        return Corpus(self.kept)

    def summary(self) -> dict[str, Any]:
        """Return how many documents were read and kept, and why the others were dropped."""
        return {
            "path": str(self.path),
            "read": self.facts.read.documents,
            "kept": self.facts.kept.documents,
            **self.facts.reasons,
        }
