"""The road of every fine-tuning: rows are read, settings searched for, models trained and kept."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from foretext._version import __version__
from foretext.base.errors import SettingError
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.finetuning.baseline import learned_baseline
from foretext.finetuning.bases import is_name, learner_class, name_note, predictor_class
from foretext.finetuning.closing import allotted
from foretext.finetuning.facts import task_facts
from foretext.finetuning.job import Finetuned, FinetuneJob
from foretext.finetuning.keeping import examined, keep
from foretext.finetuning.learner import Learner
from foretext.finetuning.preparing import prepared
from foretext.finetuning.recipe import BaseModel, TaskRecipe
from foretext.finetuning.resume import keep_given
from foretext.finetuning.rows import read_rows
from foretext.finetuning.search import searched
from foretext.finetuning.seeds import Outcome, best_of, train_seeds
from foretext.finetuning.task_rows import TaskRows
from foretext.pretraining.runs import run_folder
from foretext.progress import is_quiet
from foretext.progress.budget import tell_of_compiling
from foretext.report.run_report import write_report
from foretext.tasks.predictor import Predictor

__all__ = ["learn_task", "run_finetuning"]


def learn_task(learner: Learner) -> Finetuned:
    """Learn a task and keep it in the folder of the run: the whole road, for every learner.

    Raises:
        ForetextError: rows, base or settings do not go together; the message says why.
        Interrupted: a signal asked for the end; what was done is kept for --resume.
    """
    rows = read_rows(learner)
    learner = learner.start(rows)
    baseline = learned_baseline(learner, rows)
    allotment = allotted(learner, rows, baseline)
    rows = rows if allotment is None else allotment.rows
    learner, allotment = prepared(learner, rows, baseline, allotment)
    found = searched(learner, rows)
    if found is not None:
        learner = learner.with_settings(found.settings)
    trained = train_seeds(learner, rows, allotment)
    best = best_of(trained)
    more = learner.finish(best.model, rows, baseline)
    examination = examined(best.model, rows, baseline)
    outcome = Outcome(rows, found, trained, best, baseline, examination)
    facts = task_facts(learner, outcome) | more
    time_left = None if allotment is None else allotment.refitting
    kept = learner.refitted(best.model, rows, best.seed - learner.seed_of(0), time_left)
    if kept is not best.model:
        outcome = replace(outcome, best=replace(best, model=kept))
        facts |= {**kept.described(), **_refit(rows)}
    return keep(learner, outcome, facts)


def run_finetuning(
    recipe: TaskRecipe,
    out: str | Path | None = None,
    *,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    report: bool = False,
    rows_are_checked: bool = False,
) -> Finetuned:
    """Do what a recipe says, in the folder `out`; return the model, the facts and the card.

    Args:
        recipe: what is learned from what.
        out: the run's folder; None: nothing is kept but the model.
        overwrite: replace the run in `out`, once the new one is finished.
        resume: go on with the unfinished run in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.
        report: write the page of the run, too.
        rows_are_checked: the user knows already what is wrong with the rows.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
    """
    _check_files(predictor_class(recipe.task, recipe.base), recipe)
    _check_not_base(recipe.base, out)
    tell_of_compiling(quiet=is_quiet(quiet))
    with run_folder(out, overwrite=overwrite, resume=resume) as run:
        page = write_report if report else None
        job = FinetuneJob(
            run=run,
            recipe=recipe,
            resume=resume,
            quiet=is_quiet(quiet),
            report=page,
            rows_are_checked=rows_are_checked,
        )
        learner = learner_class(recipe.base)(job, recipe.settings)
        if note := name_note(recipe.base):
            job.note(note)
        learner.check()
        keep_given(job, learner.rows_config.model_dump())
        run.note(f"foretext {__version__}: {recipe.run_section()}{', resumed' if resume else ''}")
        done = learn_task(learner)
        done.model.reading = learner.rows_config
        return done


def _refit(rows: TaskRows) -> dict[str, Any]:
    """Return the rows that the kept model learned from, and those of the model of the figures."""
    measured = {"train": len(rows.train), "valid": len(rows.valid)}
    return {"rows": sum(measured.values()), "refit": measured}


def _check_files(predictor: type[Predictor], recipe: TaskRecipe) -> None:
    for name, rows in recipe.rows.items():
        if as_parallel_files(rows) is not None and not predictor.reads_parallel_files:
            raise SettingError(
                f"[run] {name}: two parallel files hold a text and what it becomes, which "
                f"{recipe.task} does not learn; give one file of labelled rows."
            )


def _check_not_base(base: BaseModel, out: str | Path | None) -> None:
    if out is None or is_name(base) or not isinstance(base, str | Path):
        return
    if os.path.realpath(str(base)) == os.path.realpath(out):  # copes with loops of links
        raise SettingError(f"RUN = '{out}' is BASE itself; keep the new run in another folder.")
