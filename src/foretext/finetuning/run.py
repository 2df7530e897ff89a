"""The road of every fine-tuning: rows are read, settings searched for, models trained and kept."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict  # pydantic reads this one before Python 3.12

from foretext._version import __version__
from foretext.base.errors import OutputError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.finetuning.allotment import Allotment, learned_baseline
from foretext.finetuning.bases import is_name, learner_class, name_note, task_on
from foretext.finetuning.closing import allotted
from foretext.finetuning.job import Finetuned, FinetuneJob
from foretext.finetuning.learner import Found, Learner, Tell
from foretext.finetuning.recipe import BaseModel, TaskRecipe
from foretext.finetuning.rows import read_rows
from foretext.finetuning.seeds import Outcome, best_of, train_seeds
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.unchanged import keep_given
from foretext.finetuning.writing import examined, keep, task_facts
from foretext.messages import message
from foretext.pretraining.job import run_folder
from foretext.progress import MetricsLog, Progress, is_quiet
from foretext.progress.budget import tell_of_compiling
from foretext.report.run_report import write_report
from foretext.tasks.baseline import Baseline
from foretext.tasks.task import Task

__all__ = ["learn_task", "prepared", "run_finetuning"]

SEARCH_FILE = "search.json"  # among the checkpoints: what an interrupted run has found


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
    found = _searched(learner, rows)
    if found is not None:
        learner = learner.with_settings(found.settings)
    trained = train_seeds(learner, rows, allotment)
    best = best_of(trained)
    more = learner.finish(best.model, rows, baseline)
    untouched = learner.untouched(rows)
    examination = examined(best.model, rows, baseline, untouched)
    outcome = Outcome(rows, found, trained, best, baseline, examination, untouched)
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
    bases: Path | None = None,
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
        bases: folder of what is pretrained on the texts, for this run and others; a relative one
            is in that of the run. None: nothing of it is kept.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
    """
    _check_files(task_on(recipe.task, recipe.base), recipe)
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
            bases=bases,
        )
        learner = learner_class(recipe.base, recipe.task)(job, recipe.settings)
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


def _check_files(task: Task, recipe: TaskRecipe) -> None:
    for name, rows in recipe.rows.items():
        if as_parallel_files(rows) is not None and not task.reads_parallel_files:
            raise SettingError(
                f"[run] {name}: two parallel files hold a text and what it becomes, which "
                f"{recipe.task} does not learn; give one file of labelled rows."
            )


def _check_not_base(base: BaseModel, out: str | Path | None) -> None:
    if out is None or is_name(base) or not isinstance(base, str | Path):
        return
    if os.path.realpath(str(base)) == os.path.realpath(out):  # copes with loops of links
        raise SettingError(f"RUN = '{out}' is BASE itself; keep the new run in another folder.")


def prepared(
    learner: Learner, rows: TaskRows, baseline: Baseline | None, allotment: Allotment | None
) -> tuple[Learner, Allotment | None]:
    """Return a learner that can begin its trainings, and the time that is left to them."""
    if allotment is None:
        return learner.prepare(rows, baseline, None).learner, None
    job, seeds = learner.job, learner.finetuning.seeds
    each = allotment.training(seeds, resumed=job.resume)
    searching = job.recipe.search_seconds or 0.0  # follows, and is a part of the command's time
    ready, earlier = learner.prepare(rows, baseline, max(seeds * each.seconds - searching, 0.0))
    return ready, allotment.after(earlier)


class _Kept(TypedDict):
    """The file of a search's result."""

    settings: dict[str, dict[str, Any]]
    score: float
    trials: int
    tried: dict[str, Any]


def _searched(learner: Learner, rows: TaskRows) -> Found | None:
    """Search for settings, unless none is wanted, or an interrupted run has done so.

    Raises:
        ForetextError: nothing is left to try, there are no rows to judge by, or no trial ended
            well.
    """
    job, seconds = learner.job, learner.job.recipe.search_seconds
    if seconds is None:
        return None
    kept = job.run.checkpoints / SEARCH_FILE
    if job.resume and kept.is_file():
        return Found(**read_json(kept, OutputError, _Kept))
    job.run.trials.unlink(missing_ok=True)
    with (
        MetricsLog(job.run.trials) as log,
        Progress(message("progress.searching"), seconds, "seconds", quiet=job.quiet) as bar,
    ):
        found = learner.search(rows, seconds, _Follower(log, bar))
    with atomic_file(kept) as temporary:
        temporary.write_text(json.dumps(found._asdict()), encoding="utf-8", newline="\n")
    job.note(_sentence(found))
    return found


class _Follower(Tell):
    """Writes trials down, and moves the bar."""

    def __init__(self, log: MetricsLog, bar: Progress) -> None:
        self.log, self.bar = log, bar

    def __call__(self, trial: dict[str, Any], /) -> None:
        self.log.append(trial)
        scores = [trial["score"], self.bar.figures.get("best")]
        known = [score for score in scores if score is not None]
        self._advance(**({"best": max(known)} if known else {}))

    def tick(self) -> None:
        self._advance()

    def _advance(self, **figures: float) -> None:
        bar, total = self.bar, self.bar.total or 0.0
        bar.advance(max(min(bar.elapsed, total) - bar.done, 0.0), **figures)


def _sentence(found: Found) -> str:
    tried = ", ".join(
        f"{name} = {value:.3g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in found.tried.items()
    )
    return message("notes.finetune.searched", number=found.trials, score=found.score, tried=tried)
