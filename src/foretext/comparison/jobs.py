"""Jobs, done: each is the road of a command, with what the command costs.

What is written down of a job beside the folder that it fills, so that it is done once.
``seed-0.json`` stands beside ``seed-0/``: the job when it begins, and its reply when it has
ended.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from foretext.artifact import load_task
from foretext.base.errors import OutputError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import read_json
from foretext.base.runtime import command, command_began
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.baseline_run import BaselineRun, has_baseline, kept_base
from foretext.comparison.candidate import BASELINE, UNTOUCHED
from foretext.comparison.measurement import (
    disk_bytes,
    milliseconds_of_one,
    peak_memory_bytes,
    reset_peak_memory,
    seconds_of_many,
)
from foretext.comparison.rows import read_written
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
from foretext.progress import MetricsLog, is_quiet
from foretext.recipe import Recipe
from foretext.recipe.same_settings import check_same
from foretext.run_folder import RunFolder
from foretext.tasks.answers import Answers, numbers
from foretext.tasks.task import Task

__all__ = ["KeptJob", "RunCurve", "do_job"]

FREE_TO_CHANGE = ("budget", "text_bytes", "quiet")  # a resumed job has the time that it began with


def do_job(job: Job) -> Reply:
    """Do a job, or what a killed process has left of it; one that has ended gives its reply again.

    Raises:
        ForetextError: it cannot be done; the message says why.
        Interrupted: a signal asked for the end; the same job goes on from there.
    """
    with command():
        kept = KeptJob.begun(job)
        if kept.reply is None:
            reset_peak_memory()
            kept = kept.ended(_done(kept.job))
        _tidy(kept.job)
        assert kept.reply is not None, kept.job
        return kept.reply


def _done(job: Job) -> Reply:
    match job:
        case Prepare():
            return _prepared(job)
        case Pretrain():
            return _pretrained(job)
        case Finetune(base=base) if base in (BASELINE, UNTOUCHED):
            return _baseline(job)
        case Finetune():
            return _finetuned(job)
        case Answer():
            return _answered(job)


def _tidy(job: Job) -> None:
    """Remove a run that nobody needs once its reply is written down."""
    match job:
        case Finetune(is_kept=False):
            shutil.rmtree(job.out, ignore_errors=True)
        case _:
            return


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
            _recipe(job), job.out, resume=run.begun, quiet=job.quiet, rows_are_checked=True,
            bases=None if job.bases is None else Path(job.bases).absolute(),
        ).model  # fmt: skip
    rows = read_written(model.task, job.valid, job.settings.get("rows", {}))
    facts = run.facts()
    judged_by, figures, row_seconds = (
        _answered_once(job, model.answer_rows, rows)
        if job.holds_out
        else (facts["judged_by"], facts["valid"], seconds_of_many(model.answer_rows, rows))
    )
    known = {name: float(value) for name, value in numbers(figures).items()}
    return FinetuneReply(
        seconds=curve.seconds,
        memory_bytes=peak_memory_bytes(),
        disk_bytes=disk_bytes(run.path),
        parameters=facts["parameters"],
        judged_by=judged_by,
        score=known[judged_by],
        figures=known,
        curve=curve.points([f"valid_{judged_by}"]),
        warnings=facts["warnings"],
        row_seconds=row_seconds,
        passes=curve.passes,
    )


def _answered_once(
    job: Finetune, answer: Callable[[Sequence[Any]], Answers], rows: Sequence[Any]
) -> tuple[str, dict[str, float], float]:
    """Answer rows, and keep that where the job says so; returns figures and seconds of a row."""
    began = time.monotonic()
    answers = answer(rows)
    seconds = (time.monotonic() - began) / len(rows)
    kept = KeptAnswers.of(rows, answers)
    if job.answers is not None:
        kept.save(Path(job.answers))
    return kept.judged_by, kept.figures, seconds


def _baseline(job: Finetune) -> FinetuneReply:
    """Learn a baseline, or open an untouched base; its folder says so, and holds no model."""
    began = command_began()
    reading = job.settings.get("rows", {})
    base = next(iter(job.beside), None)
    learned = BaselineRun.of(job.task, job.train, reading, base)
    rows = read_written(learned.task, job.valid, reading)
    judged_by, figures, row_seconds = _answered_once(job, learned.baseline.answers, rows)
    if not job.holds_out:
        row_seconds = seconds_of_many(learned.baseline.answers, rows)
    learned.mark(Path(job.out))
    return FinetuneReply(
        seconds=time.monotonic() - began,
        memory_bytes=peak_memory_bytes(),
        disk_bytes=0,
        parameters=0,
        judged_by=judged_by,
        score=figures[judged_by],
        figures=figures,
        curve=[],
        warnings=[],
        row_seconds=row_seconds,
    )


def _answered(job: Answer) -> AnswerReply:
    began = command_began()
    task, answer = _answering(job)
    rows = read_written(task, job.rows, job.reading)
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


def _answering(job: Answer) -> tuple[Task, Callable[[Sequence[Any]], Answers]]:
    """Return what reads rows, and what answers them."""
    if has_baseline(Path(job.run)):
        base = kept_base(Path(job.run))
        learned = BaselineRun.of(job.task, job.train, job.reading, base)
        return learned.task, learned.baseline.answers
    model = load_task(job.run)
    return model.task, model.answer_rows


def _recipe(job: Finetune) -> TaskRecipe:
    """Return the recipe of a fine-tuning: no baseline beside it, and the seed of the job."""
    kind = learner_class(job.base, job.task)
    recipe = TaskRecipe(
        job.task,
        job.base,
        job.train,
        None if job.holds_out else job.valid,
        unlabelled=job.unlabelled,
        beside=job.beside,
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


@dataclass(frozen=True)
class KeptJob:
    """A job, and its reply once it has ended."""

    job: Annotated[Job, Field(discriminator="kind")]
    reply: Annotated[Reply, Field(discriminator="kind")] | None = None

    @classmethod
    def begun(cls, job: Job) -> KeptJob:
        """Return a job as it began, now or in a process that was killed.

        Raises:
            SettingError: another job began there.
            OutputError: what was written down is damaged, or cannot be written.
        """
        path = _path(job)
        if not is_regular_file(path):
            kept = cls(job)
            kept.save()
            return kept
        found = cls.of(path)
        check_same(job.out, asdict(found.job), asdict(job), FREE_TO_CHANGE)
        return replace(found, job=replace(found.job, quiet=job.quiet))

    @classmethod
    def of(cls, path: Path) -> KeptJob:
        """Read what was written down.

        Raises:
            OutputError: it is damaged.
        """
        found: KeptJob = read_json(path, OutputError, cls)
        return found

    def ended(self, reply: Reply) -> KeptJob:
        """Write down the reply; return the job with it.

        Raises:
            OutputError: it cannot be written.
        """
        kept = replace(self, reply=reply)
        kept.save()
        return kept

    def save(self) -> None:
        """Write ``NAME.json`` beside the folder NAME, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """
        with atomic_file(_path(self.job)) as temporary:
            temporary.write_text(
                json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8", newline="\n"
            )


def _path(job: Job) -> Path:
    out = Path(job.out)
    return out.with_name(f"{out.name}.json")


@dataclass(frozen=True)
class RunCurve:
    """The figures of a run by the seconds since its job began.

    The clock of a training begins with its first step, that of a job earlier: text is read, and a
    tokenizer learned. How much earlier, the newest record tells, which was written to disk when it
    happened.

    Attributes:
        run: the folder.
        before: seconds of training in processes that were killed.
    """

    run: RunFolder
    before: float
    _began: float = field(default_factory=time.monotonic)
    _began_at: float = field(default_factory=time.time)

    @classmethod
    def begun(cls, folder: str | Path) -> RunCurve:
        """Start the clock of a job."""
        run = RunFolder(folder)
        records = _records(run)
        return cls(run, float(records[-1]["time"]) if records else 0.0)

    @property
    def seconds(self) -> float:
        """Seconds of the job so far, with those of its training in processes that were killed."""
        return self.before + time.monotonic() - self._began

    @property
    def passes(self) -> float | None:
        """Passes over the rows to learn from; None: nothing counts them."""
        found = [each["epoch"] for each in _records(self.run) if "epoch" in each]
        return float(found[-1]) if found else None

    def points(self, names: Sequence[str]) -> list[tuple[float, float]]:
        """Return seconds since the job began, and a figure.

        Args:
            names: of figures; the first one that is in more than one record is taken, or else the
                first that is in any.
        """
        records = _records(self.run)
        found = [[each for each in records if name in each] for name in names]
        name, those = max(
            zip(names, found, strict=True), key=lambda pair: min(len(pair[1]), 2)
        )  # the first one of equally good ones
        offset = self._preparation(records)
        return [(round(offset + each["time"], 3), float(each[name])) for each in those]

    def _preparation(self, records: Sequence[dict[str, Any]]) -> float:
        """Return the seconds between the start of this job and its first step."""
        if not records:
            return 0.0
        written = self.run.metrics.stat().st_mtime - self._began_at
        trained = float(records[-1]["time"]) - self.before
        return max(written - trained, 0.0)


def _records(run: RunFolder) -> list[dict[str, Any]]:
    return MetricsLog(run.metrics).read()
