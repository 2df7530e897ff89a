"""What page, table and Python take from ``compare.json``, checked when it is read."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from foretext.base.errors import OutputError
from foretext.base.parsing import read_json
from foretext.report.run_files import Count, Figure, Known, Number, Seconds

__all__ = ["COMPARED", "ComparisonFacts", "read_comparison"]

COMPARED = "compare.json"
MOST_CANDIDATES, MOST_POINTS = 1000, 100_000  # more are no comparison that a page can show
MOST_NUMBERS = 100  # of labels, likewise


def _inside(path: str) -> str:
    """Return a path that stays in the folder of the comparison."""
    parts = PurePosixPath(path.replace("\\", "/"))
    if not parts.parts or parts.is_absolute() or ".." in parts.parts or ":" in path:
        raise ValueError("should be a path inside the folder of the comparison")
    return path


Inside = Annotated[str, AfterValidator(_inside)]
Curve = Annotated[list[tuple[Seconds, Figure]], Field(max_length=MOST_POINTS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Seed(Known):
    """One fine-tuning."""

    seed: Count
    run: Inside
    valid: Figure | None
    seconds: Seconds


class Round(Known):
    """What a candidate was given in one round, and what it used: seconds."""

    round: Count
    given: Seconds
    used: Seconds
    shared: Seconds = 0.0
    pretraining: Seconds = 0.0
    finetuning: Seconds = 0.0
    seeds: list[Seed] = Field(default_factory=list)
    pretraining_curve: Curve = Field(default_factory=list)
    curve: Curve = Field(default_factory=list)


class ValidFigures(Known):
    """The figure of choice on the held-out rows, of each seed."""

    mean: Figure
    deviation: Figure | None  # None: of one seed
    each: list[Figure]
    figures: dict[str, Any] = Field(default_factory=dict)


class Measured(Known):
    """The figure that candidates are judged by, with an interval of 95 %."""

    value: Figure
    low: Figure | None
    high: Figure | None
    each: list[Figure]
    figures: dict[str, Any] = Field(default_factory=dict)


class Difference(Known):
    """By how much a candidate is better than the best one; less than nothing where it is worse."""

    value: Figure
    low: Figure | None
    high: Figure | None
    p_value: Figure | None
    is_tie: bool


class Times(Known):
    """Seconds of a candidate in all rounds."""

    given: Seconds
    used: Seconds
    shared: Seconds = 0.0
    fit: Seconds


class Forecast(Known):
    """What a candidate may reach in twice its time."""

    value: Figure
    gain: Figure
    seconds: Seconds
    from_: Annotated[str, Field(alias="from")]


class ComparedCandidate(Known):
    """One candidate."""

    name: Name
    group: str = ""
    recipe: str | None = None
    base: str | None = None
    is_measure: bool = False  # it is no model to keep, but what models are measured against
    status: Literal["finished", "dropped", "failed", "left out"]
    sentence: str | None = None
    rounds: list[Round] = Field(default_factory=list)
    valid: ValidFigures | None = None
    test: Measured | None = None
    against_best: Difference | None = None
    seconds: Times | None = None
    milliseconds_per_row: Annotated[Number, Field(ge=0)] | None = None
    milliseconds_in_batches: Annotated[Number, Field(ge=0)] | None = None
    memory_bytes: Count | None = None
    disk_bytes: Count | None = None
    parameters: Count | None = None
    forecast: Forecast | None = None
    not_learned: str | None = None  # why its figures are no result
    warnings: list[str] = Field(default_factory=list)


class LabelPoint(Known):
    """The mean score over draws with one number of labels."""

    labels: Count
    value: Figure
    low: Figure
    high: Figure
    draws: Count
    is_best: bool
    is_tie: bool


class LabelLine(Known):
    """The scores of a candidate by number of labels."""

    name: Name
    group: str = ""
    points: list[LabelPoint]


class LabelCell(Known):
    """One fine-tuning: a number of labels and a draw of them."""

    name: Name
    labels: Count
    draw: Count
    score: Figure | None
    seconds: Seconds
    sentence: str | None = None


class LabelCrossing(Known):
    """The number of labels from which on another candidate is better."""

    few: Name
    many: Name
    labels: Annotated[Number, Field(gt=0)]
    about: Count  # the same as a sentence says it
    low: Count
    high: Count


class LabelWorth(Known):
    """By how much the error falls with more labels than the most that were measured."""

    name: Name
    labels: Count
    more: Count
    value: Figure
    low: Figure
    high: Figure


class LabelCurve(Known):
    """Scores by number of labels."""

    labels: Annotated[list[Annotated[Count, Field(ge=1)]], Field(max_length=MOST_NUMBERS)]
    is_every_row: bool
    measured_rows: Count
    lines: Annotated[list[LabelLine], Field(max_length=MOST_CANDIDATES)]
    crossing: LabelCrossing | None = None
    worth: LabelWorth | None = None
    sentence: str
    cells: Annotated[list[LabelCell], Field(max_length=MOST_POINTS)] = Field(default_factory=list)


class Shared(Known):
    """Work that was done once for several candidates."""

    what: str
    seconds: Seconds
    candidates: list[str]


class Recommendation(Known):
    """What to use, and why."""

    name: Name
    sentence: str


class Disagreement(Known):
    """A row that candidates answer differently."""

    text: str
    right: str
    answers: dict[str, str]


class Agreement(Known):
    """How many rows all candidates answer right, none of them, and some."""

    all: Count
    none: Count
    some: Count


class ComparisonFacts(Known):
    """Of ``compare.json``."""

    foretext: str
    task: str
    data: str | None = None  # name of the rows
    judged_by: str
    part: Literal["test", "valid"]
    budget_seconds: Seconds
    used_seconds: Seconds
    rows: dict[str, Count]
    seeds: list[Count]
    rounds: Count
    shared: list[Shared] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    candidates: Annotated[list[ComparedCandidate], Field(max_length=MOST_CANDIDATES)]
    recommendation: Recommendation | None = None
    label_curve: LabelCurve | None = None
    best: Literal["best"] | None = None
    agreement: Agreement | None = None
    disagreements: list[Disagreement] = Field(default_factory=list)
    machine: dict[str, Number] = Field(default_factory=dict)


def read_comparison(folder: str | Path) -> dict[str, Any]:
    """Return what ``compare.json`` of a folder holds: every field of `ComparisonFacts`, and others.

    Raises:
        OutputError: it is missing or damaged.
    """
    path = Path(folder) / COMPARED
    facts: ComparisonFacts = read_json(path, OutputError, ComparisonFacts)
    return facts.model_dump(by_alias=True)
