"""The files that a run has learned from, as its recipe names them: texts to compare a copy by."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from foretext.base.errors import ModelFileError
from foretext.base.files import is_regular_file
from foretext.base.parsing import check_value, read_toml
from foretext.base.replacement import RECIPE

__all__ = ["LearnedFiles", "learned_files"]


class _Corpus(BaseModel):
    """What a recipe says of a corpus."""

    sources: str | list[str] = []


class _Rows(BaseModel):
    """What a recipe says of the rows of a task."""

    train: str | list[str] = ""


class LearnedFiles(BaseModel):
    """Where a run has its texts from."""

    corpus: _Corpus = _Corpus()
    run: _Rows = _Rows()

    @property
    def sources(self) -> list[str]:
        """The files of a corpus."""
        given = self.corpus.sources
        return [given] if isinstance(given, str) else given

    @property
    def train(self) -> str | list[str]:
        """The file of a task's rows, or several; "" where there is none."""
        return self.run.train


def learned_files(run: Path) -> LearnedFiles:
    """Return what a run has learned from; nothing, where it is no run of foretext.

    Args:
        run: the folder.

    Raises:
        ModelFileError: its recipe is damaged.
    """
    path = run / RECIPE
    if not is_regular_file(path):
        return LearnedFiles()
    content = read_toml(path, ModelFileError)
    found: LearnedFiles = check_value(content, str(path), ModelFileError, LearnedFiles)
    return found
