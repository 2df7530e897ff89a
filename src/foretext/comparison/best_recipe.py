"""The recipe of the best model: with the user's files and columns, not those of the comparison.

So `foretext evaluate` and `predict` read other files of the user as they are.
"""

from __future__ import annotations

from pathlib import Path

from foretext.base.errors import ModelFileError
from foretext.base.parsing import read_toml
from foretext.comparison.request import CompareRequest
from foretext.comparison.rows import PARTS, row_model
from foretext.finetuning.resume import write_sections
from foretext.run_folder import RunFolder

__all__ = ["name_given_rows"]


def name_given_rows(folder: Path, request: CompareRequest) -> None:
    """Write into the recipe of a run which rows the user gave, and how they are read.

    Args:
        folder: of the run.
        request: of the user.

    Raises:
        ModelFileError: the recipe is damaged.
        OutputError: it cannot be written.
    """
    path = RunFolder(folder).recipe
    sections = read_toml(path, ModelFileError)
    given = {part: rows for part, rows in request.kept().items() if part in PARTS}
    others = {name: value for name, value in sections["run"].items() if name not in PARTS}
    config = row_model(request.task).rows_config.checked(dict(request.rows), "rows")
    rows = config.model_dump(exclude_none=True)
    write_sections(path, {**sections, "run": {**others, **given}, "rows": rows})
