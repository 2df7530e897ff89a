"""Jobs, done: each is the road of a command, with what the command costs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import load_task
from foretext.base.runtime import command, command_began
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.baseline_run import BaselineRun
from foretext.comparison.candidate import BASELINE
from foretext.comparison.kept_job import KeptJob
from foretext.comparison.measurement import (
    disk_bytes,
    milliseconds_of_one,
    peak_memory_bytes,
    reset_peak_memory,
    seconds_of_many,
)
from foretext.comparison.rows import read_written
from foretext.comparison.run_curve import RunCurve
from foretext.comparison.worker import (
    Answer,
    AnswerReply,
    Finetune,
    FinetuneReply,
    Job,
    Prepare,
    PrepareReply,
    Pretrain,
    PretrainReply,
    Reply,
    Sections,
)
from foretext.finetuning.bases import learner_class
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import run_finetuning
from foretext.pretraining.preparation import prepare_text
from foretext.pretraining.pretraining import run_recipe
from foretext.pretraining.shared import shared_parts
from foretext.progress import is_quiet
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.tasks.answers import Answers, numbers
from foretext.tasks.row_model import RowModel

__all__ = ["do_job"]


def do_job(job: Job) -> Reply:
    """Do a job, or what a killed process has left of it; one that has ended gives its reply again.

    Raises:
        ForetextError: it cannot be done; the message says why.
        Interrupted: a signal asked for the end; the same job goes on from there.
    """
    with command():
        kept = KeptJob.begun(job)
        if kept.reply is not None:
            return kept.reply
        reset_peak_memory()
        reply = _done(kept.job)
        kept.ended(reply)
        return reply


def _done(job: Job) -> Reply:
    match job:
        case Prepare():
            return _prepared(job)
        case Pretrain():
            return _pretrained(job)
        case Finetune(base=base) if base == BASELINE:
            return _baseline(job)
        case Finetune():
            return _finetuned(job)
        case Answer():
            return _answered(job)


def _prepared(job: Prepare) -> PrepareReply:
    """Make what pretrainings share, or what a killed process has left of it."""
    began = command_began()
    recipes = [Recipe.load(name, _assignments(settings)) for name, settings in job.recipes]
    found = prepare_text(
        recipes, job.corpus, Path(job.out), seconds=job.budget, quiet=is_quiet(job.quiet)
    )
    return PrepareReply(time.monotonic() - began, found.text_bytes, found.text_rate)


def _pretrained(job: Pretrain) -> PretrainReply:
    curve = RunCurve.begun(job.out)
    run = curve.run
    if not run.finished:
        run_recipe(
            Recipe.load(job.recipe, _assignments(job.settings)),
            job.corpus,
            job.out,
            budget=job.budget,
            resume=run.begun,
            quiet=job.quiet,
            shared=None if job.shared is None else Path(job.shared),
            text_bytes=job.text_bytes,
        )
    facts = run.facts()
    return PretrainReply(
        seconds=curve.seconds,
        shared_seconds=sum(part.seconds for part in shared_parts(run) if part.made),
        memory_bytes=peak_memory_bytes(),
        disk_bytes=disk_bytes(run.path),
        parameters=_num_parameters(facts),
        curve=curve.points(["valid_loss", "loss"]),
        text_rate=facts.get("text_rate", 1.0),
    )


def _finetuned(job: Finetune) -> FinetuneReply:
    curve = RunCurve.begun(job.out)
    run = curve.run
    if run.finished:
        model = load_task(job.out)
    else:
        model = run_finetuning(
            _recipe(job), job.out, resume=run.begun, quiet=job.quiet, rows_are_checked=True
        ).model
    row_seconds = seconds_of_many(
        model.answer_rows, read_written(model, job.valid, job.settings.get("rows", {}))
    )
    facts = run.facts()
    figures = {name: float(value) for name, value in numbers(facts["valid"]).items()}
    return FinetuneReply(
        seconds=curve.seconds,
        memory_bytes=peak_memory_bytes(),
        disk_bytes=disk_bytes(run.path),
        parameters=facts["parameters"],
        judged_by=facts["judged_by"],
        score=figures[facts["judged_by"]],
        figures=figures,
        curve=curve.points([f"valid_{facts['judged_by']}"]),
        warnings=facts["warnings"],
        row_seconds=row_seconds,
    )


def _baseline(job: Finetune) -> FinetuneReply:
    """Learn a baseline; its folder says so, and holds no model."""
    began = command_began()
    reading = job.settings.get("rows", {})
    learned = BaselineRun.learned(job.task, job.train, reading)
    rows = read_written(learned.model, job.valid, reading)
    answers = KeptAnswers.of(rows, learned.baseline.answers(rows))
    row_seconds = seconds_of_many(learned.baseline.answers, rows)
    learned.mark(Path(job.out))
    return FinetuneReply(
        seconds=time.monotonic() - began,
        memory_bytes=peak_memory_bytes(),
        disk_bytes=0,
        parameters=0,
        judged_by=answers.judged_by,
        score=answers.score,
        figures=answers.figures,
        curve=[],
        warnings=[],
        row_seconds=row_seconds,
    )


def _answered(job: Answer) -> AnswerReply:
    began = command_began()
    model, answer = _answering(job)
    rows = read_written(model, job.rows, job.reading)
    one = milliseconds_of_one(answer, rows)
    start = time.monotonic()
    answers = answer(rows)
    seconds = time.monotonic() - start
    kept = KeptAnswers.of(rows, answers)
    kept.save(Path(job.out))
    return AnswerReply(
        seconds=time.monotonic() - began,
        judged_by=kept.judged_by,
        score=kept.score,
        figures=kept.figures,
        milliseconds_per_row=one,
        milliseconds_in_batches=1000 * seconds / len(rows),
        memory_bytes=peak_memory_bytes(),
    )


def _answering(
    job: Answer,
) -> tuple[RowModel | type[RowModel], Callable[[Sequence[Any]], Answers]]:
    """Return what reads rows, and what answers them."""
    if BaselineRun.is_in(Path(job.run)):
        learned = BaselineRun.learned(job.task, job.train, job.reading)
        return learned.model, learned.baseline.answers
    model = load_task(job.run)
    return model, model.answer_rows


def _recipe(job: Finetune) -> TaskRecipe:
    """Return the recipe of a fine-tuning: no baseline beside it, and the seed of the job."""
    kind = learner_class(job.base)
    recipe = TaskRecipe(
        job.task,
        job.base,
        job.train,
        job.valid,
        budget_seconds=job.budget if kind.takes_budget else None,
        settings=job.settings,
    ).with_settings("finetuning", {"baseline": False})
    if job.seed == 0 or kind.seed_section is None:
        return recipe
    learner = kind(FinetuneJob(run=RunFolder(job.out), recipe=recipe), recipe.settings)
    return recipe.with_settings(kind.seed_section, {"seed": learner.seed_of(job.seed)})


def _assignments(sections: Sections) -> list[str]:
    """Return settings as `Recipe.load` takes them: JSON writes these values as TOML does."""
    return [
        f"{section}.{name}={json.dumps(value, ensure_ascii=False)}"
        for section, settings in sections.items()
        for name, value in settings.items()
    ]


def _num_parameters(facts: Mapping[str, Any]) -> int:
    """Return the number of weights; of word vectors, their numbers."""
    if "parameters" in facts:
        return int(facts["parameters"])
    return int(facts["vocab_size"]) * int(facts["vector_size"])
