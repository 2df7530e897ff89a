"""What a comparison has decided and finished, in its folder, so that it can be resumed.

    plan.json                                 what was asked, and what was decided about it
    rows/train.jsonl valid.jsonl test.jsonl   the rows that all candidates read
    rows/train-N-draw-D.jsonl                 N of those to learn from, where labels are numbered
    shared/                                   counts, tokenizers and ids that candidates share
    candidates/NAME/round-R/base/             the run of a pretraining
    candidates/NAME/round-R/seed-S/           the run of a fine-tuning
    candidates/NAME/round-R/labels-N/draw-D/  the answers of a model that learned from such a draw
    candidates/NAME/round-R/turn.json         the time that the candidate was given in the round
    candidates/NAME/round-R/outcome.json      what came of it
    final.json                                how many rows all models answer at the end
    candidates/NAME/final/seed-S/             the answers of a model to these

Every file appears whole. What is missing was not finished, and is done by a resume.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from foretext.base.errors import OutputError
from foretext.base.files import (
    atomic_file,
    held_folder,
    is_regular_file,
    output_error,
    refuse_name,
    sweep,
)
from foretext.base.interruption import GO_ON, NOTHING_YET
from foretext.base.leaving import undone_when_leaving
from foretext.base.parsing import read_bytes, read_json
from foretext.base.replacement import REPLACEMENT, complete, promote
from foretext.comparison.candidate import Candidate
from foretext.comparison.cells import Cell
from foretext.comparison.shares import SLOWEST
from foretext.finetuning.task_rows import sampled
from foretext.messages import message

__all__ = [
    "CellOutcome",
    "Ledger",
    "Outcome",
    "Plan",
    "SeedOutcome",
    "comparison_folder",
    "finish",
]

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Figure = Annotated[float, Field(allow_inf_nan=False)]
Curve = list[tuple[Figure, Figure]]  # seconds, and a loss or score

PLAN, FINISHED = "plan.json", "compare.json"
FIRST_STEPS = ("rows", "candidates")  # of a process that died before it had a plan


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What was asked, and what was decided about it before the first candidate began.

    Attributes:
        foretext: the version.
        request: as `CompareRequest.kept` has it.
        content: digest of the files of rows and text.
        seconds: that reading and deciding took.
        pace: how many times as slow as usual the machine was.
        rows: number of the rows of each part.
        labels: numbers of rows to learn from, ascending; []: all rows alone.
        majority: score of the most frequent answer on the held-out rows; None: there is none.
        row_length: mean length of the measured rows, as a multiple of that of the held-out ones.
        reading: the section `[rows]` that reads these files.
        corpus: files to pretrain on.
        text: the section `[corpus]` that reads them.
        candidates: in the order of their turns.
        left_out: why others do not take part, by name.
        warnings: sentences that a person has to read.
        notes: sentences on what was decided.
    """

    foretext: str
    request: dict[str, Any]
    content: str
    seconds: Seconds
    pace: Annotated[float, Field(ge=1, le=SLOWEST)]
    rows: dict[str, Count]
    reading: dict[str, Any]
    corpus: list[str]
    text: dict[str, Any]
    candidates: list[Candidate]
    left_out: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    row_length: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    labels: list[Count] = field(default_factory=list)
    majority: Figure | None = None


@dataclass(frozen=True)
class Given:
    """What a candidate was given in a round, in seconds; a resume gives it the same."""

    seconds: Seconds


@dataclass(frozen=True)
class Measured:
    """How many rows all models answer at the end; a resume keeps to it."""

    rows: Count


@dataclass(frozen=True)
class SeedOutcome:
    """One fine-tuning: its seed, the score of the held-out rows, and its seconds."""

    seed: Count
    valid: Figure
    seconds: Seconds


@dataclass(frozen=True)
class CellOutcome:
    """A fine-tuning with fewer labels than the most; its model is not kept.

    Attributes:
        labels, draw: of the cell.
        score: of the measured rows; None: it failed.
        seconds: that it took.
        sentence: why it failed.
    """

    labels: Count
    draw: Count
    score: Figure | None
    seconds: Seconds
    sentence: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a candidate in a round.

    Attributes:
        status: whether it has models that answer.
        sentence: why not.
        round: counted from 1.
        given: seconds that it might use.
        used: seconds that it used, in all commands.
        shared: of these, what served other candidates too.
        pretraining, finetuning: of these, by what was done.
        seeds: the fine-tunings with the most labels, whose models are kept.
        cells: those with fewer labels.
        pretraining_curve: seconds since its turn began, and the loss.
        curve: likewise, and the score of the held-out rows.
        judged_by: the figure of the scores.
        figures: of the held-out rows, by the best seed.
        passes: over the rows to learn from, by the best seed; None: nothing counts them.
        row_seconds: of an answer, where many rows are answered at once.
        memory_bytes: the most that was held at once.
        disk_bytes, parameters: of the model.
        warnings: sentences for a person.
    """

    status: Literal["finished", "failed"]
    round: Count
    given: Seconds
    used: Seconds
    sentence: str | None = None
    shared: Seconds = 0.0
    pretraining: Seconds = 0.0
    finetuning: Seconds = 0.0
    seeds: list[SeedOutcome] = field(default_factory=list)
    cells: list[CellOutcome] = field(default_factory=list)
    pretraining_curve: Curve = field(default_factory=list)
    curve: Curve = field(default_factory=list)
    judged_by: str | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    passes: Seconds | None = None
    row_seconds: Seconds = 0.0
    memory_bytes: Count | None = None
    disk_bytes: Count | None = None
    parameters: Count | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def score(self) -> float | None:
        """The mean of the seeds on the held-out rows; None: it failed."""
        scores = [seed.valid for seed in self.seeds]
        return sum(scores) / len(scores) if scores and self.status == "finished" else None

    @property
    def best_seed(self) -> SeedOutcome:
        """The seed that is best on the held-out rows, the first of equally good ones."""
        return max(self.seeds, key=lambda seed: seed.valid)


class Ledger:
    """The files of one comparison.

    Args:
        path: where they are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = path / "rows"
        self.shared = path / "shared"
        self.candidates = path / "candidates"
        self.best = path / "best"

    @property
    def plan(self) -> Plan | None:
        """What was decided; None: the comparison has not begun."""
        found: Plan | None = _read(self.path / "plan.json", Plan)
        return found

    def begin(self, plan: Plan) -> None:
        """Keep what was decided; from here on the comparison can be resumed."""
        _write(self.path / "plan.json", plan)

    def rows_file(self, part: str) -> Path:
        """Return the file of the rows of a part: "train", "valid" or "test"."""
        return self.rows / f"{part}.jsonl"

    def learned_file(self, cell: Cell) -> Path:
        """Return the file of the rows that a fine-tuning learns from."""
        name = "train" if cell.learns_all else f"train-{cell.labels}-draw-{cell.draw}"
        return self.rows_file(name)

    def measured_file(self, part: str, number: int, every: int) -> Path:
        """Return the file of the rows that are answered; a resume keeps the sample.

        Args:
            part: "test" or "valid".
            number: of the rows that are answered.
            every: rows that the part has.

        Raises:
            OutputError: a sample cannot be written.
        """
        whole, path = self.rows_file(part), self.rows / f"{part}-sample.jsonl"
        if number == every:
            return whole
        if not is_regular_file(path):
            lines = read_bytes(whole, OutputError).splitlines(keepends=True)
            with atomic_file(path) as temporary:
                temporary.write_bytes(b"".join(sampled(lines, number)))
        return path

    def turn(self, candidate: Candidate, round_: int) -> Path:
        """Return the folder of a candidate in a round, counted from 1."""
        return self.candidates / candidate.folder / f"round-{round_}"

    def base(self, candidate: Candidate, round_: int) -> Path:
        """Return the folder of a pretraining."""
        return self.turn(candidate, round_) / "base"

    def run(self, candidate: Candidate, round_: int, seed: int) -> Path:
        """Return the folder of a fine-tuning."""
        return self.turn(candidate, round_) / f"seed-{seed}"

    def cell(self, candidate: Candidate, round_: int, cell: Cell) -> Path:
        """Return the folder of the answers of a fine-tuning with fewer labels."""
        return self.turn(candidate, round_) / f"labels-{cell.labels}" / f"draw-{cell.draw}"

    def answers(self, candidate: Candidate, seed: int) -> Path:
        """Return the folder of the answers of a fine-tuning to the test."""
        return self.candidates / candidate.folder / "final" / f"seed-{seed}"

    def given(self, candidate: Candidate, round_: int) -> float | None:
        """Return the seconds of a turn; None: it has not begun."""
        found: Given | None = _read(self.turn(candidate, round_) / "turn.json", Given)
        return None if found is None else found.seconds

    def keep_given(self, candidate: Candidate, round_: int, seconds: float) -> None:
        """Keep the seconds of a turn that begins."""
        _write(self.turn(candidate, round_) / "turn.json", Given(seconds))

    @property
    def num_measured(self) -> int | None:
        """How many rows all models answer at the end; None: no model has begun to."""
        found: Measured | None = _read(self.path / "final.json", Measured)
        return None if found is None else found.rows

    def keep_num_measured(self, rows: int) -> None:
        """Keep how many rows all models answer."""
        _write(self.path / "final.json", Measured(rows))

    def outcome(self, candidate: Candidate, round_: int) -> Outcome | None:
        """Return what came of a candidate in a round; None: its turn is not over."""
        found: Outcome | None = _read(self.turn(candidate, round_) / "outcome.json", Outcome)
        return found

    def keep_outcome(self, candidate: Candidate, outcome: Outcome) -> None:
        """Keep what came of a candidate; its turn is over."""
        _write(self.turn(candidate, outcome.round) / "outcome.json", outcome)


def _read(path: Path, kind: Any) -> Any:
    """Read a file that a process may have been killed before it wrote."""
    return read_json(path, OutputError, kind) if is_regular_file(path) else None


def _write(path: Path, content: Any) -> None:
    with atomic_file(path) as temporary:
        text = json.dumps(asdict(content), ensure_ascii=False, indent=1)
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


@contextmanager
def comparison_folder(out: str | Path, *, overwrite: bool, resume: bool) -> Iterator[Ledger]:
    """The ledger of the comparison in `out`, locked by this process.

    A comparison that fails before its plan is written, because of what was asked, is removed.

    Raises:
        OutputError: it holds another comparison, or other files, or another process is at work in
            it, or it cannot be written.
    """
    named = Path(out)
    is_new = _make_folder(named)
    with held_folder(named):
        path = named
        try:
            path = _begun(named, overwrite=overwrite, resume=resume)
            removes = is_new or path != named
            with undone_when_leaving(partial(_left, path, removes=removes)):
                yield Ledger(path)
        except BaseException:
            if is_new or path != named:
                _remove_unplanned(path)
            raise


def _left(path: Path, *, removes: bool) -> str:
    """Remove a comparison that is left before it has a plan; say how to go on."""
    if removes:
        _remove_unplanned(path)
    return GO_ON if _is_comparison(path) else NOTHING_YET


def finish(ledger: Ledger) -> Path:
    """Let a finished comparison take its place; returns its folder.

    Raises:
        OutputError: a file cannot be moved; the next start goes on from there.
    """
    if ledger.path.name != REPLACEMENT or not _is_comparison(ledger.path.parent):
        return ledger.path
    promote(ledger.path.parent)
    return ledger.path.parent


def _begun(named: Path, *, overwrite: bool, resume: bool) -> Path:
    """Return where the files of the comparison are, or will be."""
    replacement = named / REPLACEMENT
    try:
        _complete(named)
        sweep(named)
        waiting = is_regular_file(replacement / PLAN)
        if resume:
            return _resumed(named, waiting=waiting)
        if _is_comparison(named):
            _refuse_unless(overwrite, named)
            shutil.rmtree(replacement, ignore_errors=True)
            replacement.mkdir()
            return replacement
        _remove_first_steps(named)
        if any(named.iterdir()):
            raise OutputError(message("errors.run.other_files", path=named))
    except OSError as error:
        raise output_error(named, error) from error
    return named


def _resumed(named: Path, *, waiting: bool) -> Path:
    if waiting:
        return named / REPLACEMENT
    if is_regular_file(named / FINISHED):
        raise OutputError(message("files.comparison.finished", path=named))
    if not is_regular_file(named / PLAN):
        raise OutputError(message("files.comparison.none", path=named))
    return named


def _refuse_unless(overwrite: bool, named: Path) -> None:
    if overwrite:
        return
    is_finished = is_regular_file(named / FINISHED)
    state = "a finished comparison" if is_finished else "an unfinished comparison"
    remedy = "" if is_finished else "go on with --resume, "
    raise OutputError(
        f"{named} holds {state}; {remedy}choose another folder, or replace it with --overwrite."
    )


def _complete(named: Path) -> None:
    """Finish a replacement that a process began before it died."""
    complete(named)
    if is_regular_file(named / REPLACEMENT / FINISHED):
        promote(named)


def _is_comparison(path: Path) -> bool:
    return is_regular_file(path / PLAN)


def _remove_unplanned(path: Path) -> None:
    """Leave no folder of a comparison for which there is no plan."""
    if not _is_comparison(path):
        _remove_first_steps(path)
        with suppress(OSError):  # it is not empty
            path.rmdir()


def _remove_first_steps(path: Path) -> None:
    for name in FIRST_STEPS:
        shutil.rmtree(path / name, ignore_errors=True)


def _make_folder(path: Path) -> bool:
    """Make the folder, or the one that a link leads to; False: it was there."""
    refuse_name(path)
    try:
        if path.is_dir():
            return False
        Path(os.path.realpath(path)).mkdir(parents=True)
    except OSError as error:
        raise output_error(path, error) from error
    return True
