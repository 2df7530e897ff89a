"""What a comparison found: the table, the best model, and one sentence on what to use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from foretext.artifact import load_task
from foretext.base.errors import ModelFileError
from foretext.base.files import atomic_file
from foretext.comparison.leaderboard import NOTHING, html_table, table_rows, text_table
from foretext.comparison.results_csv import results_csv
from foretext.report.comparison_files import COMPARED, read_comparison
from foretext.tasks.predictor import Predictor

__all__ = ["BEST", "RESULTS", "Comparison"]

BEST, RESULTS = "best", "results.csv"


class Comparison:
    """A finished comparison.

    Args:
        folder: of the comparison.
        content: of its ``compare.json``, as `foretext.report.comparison_files` describes it.

    Attributes:
        folder: where its files and models are.
        content: as it is in ``compare.json``.
    """

    def __init__(self, folder: str | Path, content: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.content = dict(content)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Open a finished comparison.

        Raises:
            OutputError: the folder holds none, or a damaged one.
        """
        return cls(folder, read_comparison(folder))

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each candidate, the best first, with its figures by name."""
        return table_rows(self.content)

    @property
    def best(self) -> Predictor:
        """The model that the recommendation names, ready to answer.

        Raises:
            ModelFileError: no model finished.
        """
        if self.content["best"] is None:
            raise ModelFileError(
                f"{self.folder} has no best model: no candidate finished that can be kept."
            )
        return load_task(self.folder / BEST)

    @property
    def recommendation(self) -> str | None:
        """What to use and why, in one sentence; None: no model finished."""
        found = self.content["recommendation"]
        return None if found is None else str(found["sentence"])

    @property
    def warnings(self) -> list[str]:
        """Sentences that a person has to read before the figures."""
        return list(self.content["warnings"])

    def save(self) -> None:
        """Write ``compare.json`` and ``results.csv``, each whole or not at all.

        Raises:
            OutputError: one cannot be written.
        """
        with atomic_file(self.folder / RESULTS) as temporary:
            temporary.write_text(results_csv(self.content), encoding="utf-8", newline="")
        with atomic_file(self.folder / COMPARED) as temporary:
            text = json.dumps(self.content, ensure_ascii=False, indent=1, allow_nan=False)
            temporary.write_text(text + "\n", encoding="utf-8")

    def __str__(self) -> str:
        said = [*(f"Warning: {each}" for each in self.warnings), text_table(self.content)]
        return "\n".join([*said, self.recommendation or NOTHING])

    def __repr__(self) -> str:
        named = self.content["recommendation"]
        best = None if named is None else named["name"]
        number = len(self.content["candidates"])
        return f"Comparison({str(self.folder)!r}, candidates={number}, best={best!r})"

    def _repr_html_(self) -> str:
        return html_table(self.content, self.recommendation)
