"""`compare`: what to train for a task, found out in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config, duration_seconds
from foretext.base.errors import SettingError
from foretext.comparison.candidate import Sections
from foretext.comparison.comparison import Comparison
from foretext.comparison.draws import read_labels
from foretext.comparison.request import CompareRequest
from foretext.comparison.rows import compared_task
from foretext.comparison.run import run_comparison
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.messages import message
from foretext.recipe.recipe import given_by_candidate

__all__ = ["compare"]


@checked_arguments
def compare(
    task: str,
    train: Any,
    out: str | Path,
    *,
    budget: str | float,
    corpus: str | Path | Sequence[str | Path] = (),
    valid: Any = None,
    test: Any = None,
    only: str | Sequence[str] = (),
    without: str | Sequence[str] = (),
    given: str | Path | Sequence[str | Path] = (),
    seeds: int = 1,
    rounds: int = 1,
    labels: str | int | Sequence[str | int] | None = None,
    draws: int = 5,
    seed: int = 0,
    settings: Mapping[str, Sections] | Sequence[str] | None = None,
    rows: Config | None = None,
    text: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
) -> Comparison:
    """Try every kind of pretraining on a task, in one budget; keep everything in `out`.

    Args:
        task: ``"classification"``, ``"matching"``, ``"tagging"``, ``"span_qa"``,
            ``"text_to_text"``, or ``"module:Class"`` of a `Task` of yours.
        train: rows to learn from, as `foretext.finetune` takes them: files, or rows in memory.
        out: the folder; it must not hold a comparison already, unless `overwrite` or `resume`.
        budget: wall-clock time of everything, ``"10m"``.
        corpus: files, folders, globs or URLs of text to pretrain on; (): the texts of `train`.
        valid: rows to choose candidates by; None: some are held out of `train`.
        test: rows to measure on, once, at the end; None: figures are of the rows held out.
        only: names of candidates or of groups, in place of those that foretext chooses.
        without: names of candidates or of groups to leave out.
        given: names, and paths of runs, model folders and vector files that take part, too.
        seeds: fine-tunings of each candidate.
        rounds: of successive halving: after each one the better half of the candidates goes on,
            with more time.
        labels: numbers of labels that each candidate learns from, ``[20, 100, "all"]``; None: all
            rows. Pretraining reads the texts of all rows.
        draws: of the rows of each number; the same ones for all candidates.
        seed: of the rows that are held out or drawn, and of the first training.
        settings: of candidates, by their names or those of groups:
            ``{"bert": {"training": {"batch_examples": 8}}}``, or
            ``["bert:training.batch_examples=8"]``.
        rows: how files of rows are read; None: as the task's files usually are.
        text: settings of the section corpus, ``{"column": "body"}``.
        overwrite: replace the comparison in `out`, once the new one is finished.
        resume: go on with the unfinished comparison in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        ForetextError: rows, text, a setting or the folder will not do; the message says why.
    """
    found = {"train": train, "valid": valid, "test": test}
    sources = {part: _source(given, task) for part, given in found.items()}
    if sources["train"] is None:
        raise SettingError(message("files.rows.none_to_compare"))
    request = CompareRequest(
        task=task,
        train=sources["train"],
        valid=sources["valid"],
        test=sources["test"],
        budget_seconds=duration_seconds(budget),
        corpus=_names(corpus),
        rows={} if rows is None else rows.model_dump(mode="json", exclude_unset=True),
        text=dict(text or {}),
        seeds=seeds,
        rounds=rounds,
        labels=read_labels(labels, "labels"),
        draws=draws,
        seed=seed,
        only=_names(only),
        without=_names(without),
        given=_names(given),
        settings=given_by_candidate(settings),
    )
    return run_comparison(request, out, overwrite=overwrite, resume=resume, quiet=quiet)


def _source(given: Any, task: str) -> RowSource | None:
    """Return files of rows as they are, rows in memory as a source that the task reads."""
    if given is None or isinstance(given, str | Path):
        return given
    return as_parallel_files(given) or compared_task(task).source_of(given)


def _names(given: str | Path | Sequence[str | Path]) -> tuple[str, ...]:
    """Return names, one or several."""
    return (str(given),) if isinstance(given, str | Path) else tuple(map(str, given))
