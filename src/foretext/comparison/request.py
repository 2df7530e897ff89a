"""What a user asks of a comparison."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foretext.base.errors import SettingError
from foretext.base.parsing import parse_json
from foretext.comparison.candidate import Sections
from foretext.comparison.draws import Labels
from foretext.corpus.sources import find_sources
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.messages import message
from foretext.tasks import TASKS

__all__ = ["CompareRequest"]


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """What is compared on which rows, in what time.

    Attributes:
        task: a row of the table of tasks, or ``"module:Class"``.
        train: files of rows to learn from, or rows in memory.
        budget_seconds: wall-clock time of everything.
        corpus: files, folders and globs of text to pretrain on; (): the texts of the rows.
        valid: rows to choose candidates by; None: some are held out of `train`.
        test: rows to measure on, once, at the end; None: figures are of the held-out rows.
        rows: settings of how the rows are read.
        text: settings of how the corpus is read.
        seeds: fine-tunings of each candidate.
        rounds: of successive halving; 1: all candidates get the same time.
        labels: numbers of labels that each candidate learns from, ascending, "all" last; (): all
            rows alone.
        draws: of the rows of each number.
        only: names of the candidates, in place of those that foretext chooses; (): its choice.
        without: names to leave out.
        given: runs, model folders and vector files that are candidates, too.
        settings: of single candidates: sections of settings by name.
        seed: of the held-out rows, and the first of the trainings.

    Raises:
        SettingError: these do not go together.
    """

    task: str
    train: RowSource
    budget_seconds: float
    corpus: tuple[str, ...] = ()
    valid: RowSource | None = None
    test: RowSource | None = None
    rows: Mapping[str, Any] = field(default_factory=dict)
    text: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 1
    rounds: int = 1
    labels: Labels = ()
    draws: int = 5
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    settings: Mapping[str, Sections] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        if ":" not in self.task and self.task not in TASKS:
            raise SettingError(
                f"--task {self.task}: there is no such task. There are: {', '.join(TASKS)}."
            )
        for name in ("seeds", "rounds", "draws"):
            if (number := getattr(self, name)) < 1:
                raise SettingError(
                    message("options.compare.at_least_one", name=name, number=number)
                )
        if self.labels and self.rounds > 1:
            raise SettingError(message("options.compare.labels_rounds"))
        if self.budget_seconds <= 0:
            raise SettingError(message("options.compare.budget", seconds=self.budget_seconds))
        if twice := sorted(set(self.only) & set(self.without)):
            raise SettingError(message("options.compare.both_name", name=twice[0]))

    @property
    def sources(self) -> dict[str, RowSource]:
        """The rows that are given, by what they are for."""
        given = {"train": self.train, "valid": self.valid, "test": self.test}
        return {part: rows for part, rows in given.items() if rows is not None}

    def kept(self) -> dict[str, Any]:
        """Return the request as ``plan.json`` keeps it, to be compared when it is resumed."""
        kept = {
            "task": self.task,
            **{part: _named(rows) for part, rows in self.sources.items()},
            "corpus": list(self.corpus),
            "budget": self.budget_seconds,
            "rows": dict(self.rows),
            "text": dict(self.text),
            "seeds": self.seeds,
            "rounds": self.rounds,
            "labels": list(self.labels),
            "draws": self.draws,
            "only": list(self.only),
            "without": list(self.without),
            "with": list(self.given),
            "settings": {name: dict(sections) for name, sections in self.settings.items()},
            "seed": self.seed,
        }
        text = json.dumps(kept, default=dict)  # where tuples are lists
        return dict(parse_json(text, "the request", SettingError))

    def content(self) -> str:
        """Return a digest that tells whether files of rows or text have changed since.

        Raises:
            CorpusError: there is no such file.
        """
        named = [*self.sources.values(), *([list(self.corpus)] if self.corpus else [])]
        found = [source for each in named for source in find_sources(each)]
        known = [source.identity for source in found if source.size is not None]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()[:32]


def _named(rows: RowSource) -> str | list[str]:
    """Return names of files as JSON keeps them."""
    files = as_parallel_files(rows)
    return str(rows) if files is None else [str(Path(file)) for file in files]
