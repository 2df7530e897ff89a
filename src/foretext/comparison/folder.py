"""The folder of a comparison: how one begins, is resumed, and takes the place of another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from foretext.base.errors import OutputError
from foretext.base.files import held_folder, is_regular_file, output_error, refuse_name, sweep
from foretext.base.interruption import GO_ON
from foretext.base.leaving import undone_when_leaving
from foretext.base.replacement import REPLACEMENT, complete, promote
from foretext.comparison.ledger import Ledger

__all__ = ["FINISHED", "comparison_folder", "finish"]

PLAN, FINISHED = "plan.json", "compare.json"
FIRST_STEPS = ("rows", "candidates")  # of a process that died before it had a plan


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
    return GO_ON if _is_comparison(path) else "nothing was learned yet, so give the command again"


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
            raise OutputError(
                f"{named} is a folder with other files in it; choose a new or empty one."
            )
    except OSError as error:
        raise output_error(named, error) from error
    return named


def _resumed(named: Path, *, waiting: bool) -> Path:
    if waiting:
        return named / REPLACEMENT
    if is_regular_file(named / FINISHED):
        raise OutputError(f"{named} holds a finished comparison; there is nothing to resume.")
    if not is_regular_file(named / PLAN):
        raise OutputError(
            f"{named} holds no comparison to resume: none was begun, or it was stopped before it "
            "had a plan; give the command without --resume."
        )
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
