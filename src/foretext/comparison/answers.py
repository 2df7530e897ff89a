"""The answers of one model to a file of rows, kept so that models are compared row by row.

``answers.json`` has the figures and the rows as a person reads them; ``tallies.safetensors`` what
each row adds to the figure that models are judged by.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from foretext.base.errors import OutputError
from foretext.base.files import atomic_folder
from foretext.base.parsing import read_json, read_tensors, write_tensors
from foretext.comparison.worker import AnswerReply
from foretext.metrics.paired import Tallies
from foretext.metrics.sum_figures import SUM_FIGURES, named_tallies, row_scores, suits
from foretext.tasks.answers import Answers, ShownRow, numbers

__all__ = ["Answered", "KeptAnswers", "agreement", "disagreements"]

ANSWERS, TALLIES, PARTS = "answers.json", "tallies.safetensors", "parts"

MOST_ROWS = 12
DECIMALS = 6  # of variances that count as equal

Numbers = NDArray[np.float64]


class _File(BaseModel):
    """``answers.json``."""

    num_rows: int
    judged_by: str
    figures: dict[str, Annotated[float, Field(allow_inf_nan=False)]]
    sums: Literal["share", "correlation", "bleu", "chrf"] | None  # how parts become the figure
    by_bootstrap: bool
    shown: list[tuple[str, str, str]]


class KeptAnswers(NamedTuple):
    """What is kept of N answers.

    Attributes:
        num_rows: N.
        judged_by: the figure by which models are compared; higher is better.
        figures: of all rows, those that are numbers.
        tallies: what each row adds to that figure, (N, K); None: the task does not say.
        shown: N rows with right and given answers; []: the task shows none.
    """

    num_rows: int
    judged_by: str
    figures: dict[str, float]
    tallies: Tallies | None
    shown: list[ShownRow]

    @classmethod
    def of(cls, rows: Sequence[Any], answers: Answers) -> KeptAnswers:
        """Return what is kept of answers to rows."""
        return cls(
            len(rows),
            answers.judged_by,
            {name: float(value) for name, value in numbers(answers.figures(rows)).items()},
            answers.tallies(rows).get(answers.judged_by),
            answers.shown(rows),
        )

    @property
    def score(self) -> float:
        """The figure by which models are compared."""
        return self.figures[self.judged_by]

    def save(self, folder: Path) -> None:
        """Write a folder that `load` reads, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """
        sums, parts = (None, None) if self.tallies is None else named_tallies(self.tallies)
        file = {
            "num_rows": self.num_rows,
            "judged_by": self.judged_by,
            "figures": self.figures,
            "sums": sums,
            "by_bootstrap": self.tallies is not None and self.tallies.by_bootstrap,
            "shown": self.shown,
        }
        with atomic_folder(folder) as temporary:
            (temporary / ANSWERS).write_text(
                json.dumps(file, ensure_ascii=False), encoding="utf-8", newline="\n"
            )
            if parts is not None:
                write_tensors(temporary / TALLIES, {PARTS: parts})

    @classmethod
    def load(cls, folder: Path) -> KeptAnswers:
        """Read what `save` wrote.

        Raises:
            OutputError: a file is missing or damaged, or they do not belong together.
        """
        file: _File = read_json(folder / ANSWERS, OutputError, _File)
        tallies = None if file.sums is None else _tallies(folder, file.sums, file)
        if file.judged_by not in file.figures or len(file.shown) not in (0, file.num_rows):
            raise OutputError(f"{folder / ANSWERS} is damaged: its parts do not belong together.")
        shown = [ShownRow(*row) for row in file.shown]
        return cls(file.num_rows, file.judged_by, file.figures, tallies, shown)


def _tallies(folder: Path, sums: str, file: _File) -> Tallies:
    path = folder / TALLIES
    parts = read_tensors(path, OutputError, {PARTS: ("float64", 2)}).tensors[PARTS]
    is_whole = len(parts) == file.num_rows and suits(sums, parts.shape[1])
    if not (is_whole and np.isfinite(parts).all()):
        raise OutputError(f"{path} is damaged: these are no tallies of {file.num_rows} rows.")
    return Tallies(parts, SUM_FIGURES[sums], by_bootstrap=file.by_bootstrap)


class Answered(NamedTuple):
    """What one model of a candidate answered to the rows that figures are of."""

    reply: AnswerReply
    kept: KeptAnswers


def agreement(answers: Mapping[str, KeptAnswers]) -> dict[str, int] | None:
    """Return how many rows all candidates have right, all wrong, and some of them right.

    An answer is right where nothing of it is wrong: all entities of a sentence, or all of a span.
    None of fewer than two candidates, and of figures that are no shares, such as BLEU, by which a
    text is better or worse and not simply right.
    """
    scores = _scores(answers)
    if scores is None or scores.min() < 0 or scores.max() > 1:
        return None
    right = (scores == 1).sum(axis=0)  # candidates that have a row right, (N,)
    everybody = len(scores)
    counts = {"all": right == everybody, "none": right == 0, "some": (right % everybody) > 0}
    return {name: int(rows.sum()) for name, rows in counts.items()}


def disagreements(
    answers: Mapping[str, KeptAnswers], most: int = MOST_ROWS
) -> list[dict[str, Any]]:
    """Return text, right answer and every candidate's answer of rows where these differ most.

    Args:
        answers: of candidates to the same rows, by name, the best candidate first.
        most: rows that are returned; of those that candidates differ equally on, one of each right
            answer comes before another of the same one.
    """
    scores = _scores(answers)
    rows = [own.shown for own in answers.values()]
    if scores is None or not all(rows):
        return []
    first = rows[0]
    variances = scores.var(axis=0).round(DECIMALS)  # (N,)
    variances[[not _shows(place, rows) for place in range(len(first))]] = 0
    differing = np.flatnonzero(variances > 0)
    found = differing[np.argsort(-variances[differing], kind="stable")]
    seen: Counter[tuple[float, str]] = Counter()
    order: list[tuple[float, int, int]] = []
    for place in found.tolist():
        key = (float(variances[place]), first[place].right)
        order.append((-key[0], seen[key], place))
        seen[key] += 1
    return [
        {
            "text": first[place].text,
            "right": first[place].right,
            "answers": {name: own.shown[place].given for name, own in answers.items()},
        }
        for _, _, place in sorted(order)[:most]
    ]


def _shows(place: int, rows: Sequence[Sequence[ShownRow]]) -> bool:
    """Whether a person sees a difference between the answers to a row, which may be cut."""
    return len({own[place].given for own in rows}) > 1


def _scores(answers: Mapping[str, KeptAnswers]) -> Numbers | None:
    """Return how good each answer is, (C, N); None: there is nothing to compare."""
    tallies = [own.tallies for own in answers.values()]
    known = [row_scores(each) for each in tallies if each is not None]
    if len(known) < 2 or len(known) < len(tallies):
        return None
    return np.stack(known)
