"""The page of one run, from what its folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import holds_comparison, kind_named, load_vectors, opened_run
from foretext.base.errors import ModelFileError
from foretext.base.files import refuse_name
from foretext.messages import message
from foretext.report.comparison_report import report_comparison
from foretext.report.page import PageOptions
from foretext.run_folder import RunFolder

__all__ = ["report_folder", "report_run", "write_report"]


def report_folder(folder: str | Path) -> Path:
    """Write ``report.html`` into a finished run or comparison again, and return its path.

    Raises:
        ForetextError: as of `report_run` and `report_comparison`.
    """
    if holds_comparison(folder):
        return report_comparison(folder)
    return report_run(folder)


def report_run(
    run: str | Path,
    *,
    title: str | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
) -> Path:
    """Write ``report.html`` into a finished run and return its path.

    Args:
        run: the folder.
        title: the headline; the recipe's and the folder's name when None.
        evaluation: a row a test, shown as a table.
        neighbors_of: words to show neighbours of; frequent ones when None.

    Raises:
        VectorFileError: the folder holds no finished run.
        ModelFileError: it holds a model, but no run, or a file of the run is damaged.
        OutputError: metrics, samples, trials, plan or examination are damaged, or the page cannot
            be written.
    """
    folder = opened_run(run)
    if not folder.finished:
        load_vectors(run)  # says what is there instead
    if not folder.begun:
        raise ModelFileError(message("files.run.nothing_to_report", path=folder.named))
    return write_report(folder, title=title, evaluation=evaluation, neighbors_of=neighbors_of)


def write_report(
    folder: RunFolder,
    *,
    title: str | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
    word_map: bool = True,
) -> Path:
    """Do the same for a run whose other files are written, though it may not be finished.

    Without `word_map` the page of word vectors has no map, which takes most of its time.
    """
    refuse_name(folder.report)
    kind = kind_named(folder.written_kind() or "word vectors", folder.config)
    if kind.page is None:
        raise ModelFileError(f"{folder.named} holds {kind.phrase}, which has no page.")
    kind.code("page")(folder, PageOptions(title, evaluation, neighbors_of, word_map))
    return folder.report
