"""A run of fine-tuning: rows are read, a head is put on a body, trained, measured and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foretext.classifiers.baseline import Baseline
from foretext.files import atomic_file
from foretext.finetuning.baselines import learned_baseline
from foretext.finetuning.checks import (
    check_calibration,
    check_ensemble,
    check_frozen,
    note_shared_tokens,
)
from foretext.finetuning.facts import resolved_sections, task_facts
from foretext.finetuning.job import Body, Finetuned, FinetuneJob
from foretext.finetuning.rows import TaskRows, read_rows
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.start import begin_with
from foretext.finetuning.training import Setting, Trained, train_once
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.report.task_card import task_card
from foretext.task_models import TASKS
from foretext.task_models.base import TaskModel
from foretext.training.settings import TrainingConfig

__all__ = ["NETWORK", "SEEDS", "learn_task"]

UNKNOWN_SAMPLE, TOLD_UNKNOWN = 500, 0.1  # rows, share of their tokens
SEEDS = "seeds"  # folder of the models of other seeds, among the checkpoints


def learn_task(job: FinetuneJob) -> Finetuned:
    """Learn a task on a network and keep the model in the run's folder.

    Raises:
        ForetextError: rows, base or settings will not do; the message says why.
        Interrupted: a signal asked for the end; what was done is kept for --resume.
    """
    setting = _setting(job)
    seeds = range(setting.finetuning.seeds)
    trained = [_trained(job, setting, seed) for seed in seeds]
    best = max(trained, key=lambda each: each.score)
    model = best.model
    if setting.finetuning.calibrate:
        job.note(f"temperature of probabilities: {model.calibrate(setting.rows.valid):.3f}")
    if setting.rows.valid:
        for note in model.finish(setting.rows.valid):
            job.note(note)
    if num_cut := model.num_cut(setting.rows.train):
        job.note(
            f"{num_cut:,} of {len(setting.rows.train):,} rows to learn from are longer than the "
            "model reads at once"
        )
    _note_unknown_tokens(job, model, setting.rows.train)
    baseline = learned_baseline(job, setting)
    if setting.finetuning.ensemble:
        _join(job, model, baseline, setting.rows.valid)
    examination = _examined(model, setting.rows)
    facts = {**task_facts(job, setting, trained, best, examination, baseline), "cut": num_cut}
    sections = resolved_sections(job, setting, best)
    if examination is not None:
        with atomic_file(job.run.examination) as temporary:
            temporary.write_text(json.dumps(examination, ensure_ascii=False), encoding="utf-8")
    model.write(job.run.path, facts)
    card = task_card(facts, sections, job.run.named, job.run.their_class)
    return Finetuned(model, sections, facts, card)


NETWORK = Body(
    ("task", "finetuning", "training", "backbone", "tokenizer"), learn_task, writes_config=False
)


def _join(
    job: FinetuneJob, model: TaskModel, baseline: Baseline | None, rows: Sequence[Any]
) -> None:
    """Let a network answer together with its baseline, weighted by held-out rows."""
    if baseline is None:
        job.note("so the network answers alone, not in an ensemble")
        return
    assert baseline.linear is not None
    weights = model.join(baseline.linear, rows)
    job.note(f"the network counts {weights.network:.3f}, the linear model {weights.linear:.3f}")


def _note_unknown_tokens(job: FinetuneJob, model: TaskModel, rows: Sequence[Any]) -> None:
    """Say so where the body cannot read much of the rows, by a sample of them."""
    rate = model.unknown_rate(rows[:: -(-len(rows) // UNKNOWN_SAMPLE)])
    if rate > TOLD_UNKNOWN:
        job.note(
            f"{rate:.0%} of the tokens of the rows are unknown to the body's tokenizer; take one "
            "that was learned from text of this kind"
        )


def _setting(job: FinetuneJob) -> Setting:
    finetuning = FinetuningConfig.checked(dict(job.settings.get("finetuning", {})), "finetuning")
    model: type[TaskModel] = TASKS.resolve(job.task)
    task = model.task_config().checked(dict(job.settings.get("task", {})), "task")
    training = TrainingConfig.checked(dict(job.settings.get("training", {})), "training")
    check_frozen(task, training)
    judges = finetuning.calibrate or finetuning.ensemble or job.search_seconds is not None
    holds_out = judges or finetuning.fresh or not _is_pretrained(job)
    rows = read_rows(job, model, finetuning.valid_rate, holds_out=holds_out, seed=training.seed)
    check_calibration(job, finetuning, model, rows)
    check_ensemble(job, finetuning, rows)
    begun = begin_with(
        job.base,
        job.task,
        rows.texts(),
        {name: job.settings.get(name, {}) for name in ("backbone", "tokenizer")},
        num_characters=model.num_characters(rows.train),
        fresh=finetuning.fresh,
    )
    note_shared_tokens(job, task, begun.backbone)
    sections = dict(job.settings)
    if job.budget_seconds is not None:
        budget = job.budget_seconds / finetuning.seeds
        sections["training"] = {**sections.get("training", {}), "budget_seconds": budget}
    setting = Setting(model, rows, begun, finetuning, sections)
    if job.search_seconds is None:
        return setting
    from foretext.finetuning.search import searched

    return searched(job, setting)


def _is_pretrained(job: FinetuneJob) -> bool:
    """Whether the base is a Transformer with weights; vectors have a network drawn over them."""
    from foretext.language_model import LanguageModel

    if isinstance(job.base, str | Path):
        path = Path(job.base)
        return path.is_dir() and not (path / "vectors.safetensors").is_file()
    return isinstance(job.base, LanguageModel | TaskModel)


def _trained(job: FinetuneJob, setting: Setting, seed: int) -> Trained:
    """Train with one seed, unless an interrupted run has done so."""
    config = setting.training(seed)
    folder = job.run.checkpoints / SEEDS / str(seed + 1)
    if job.resume and (folder / "config.json").is_file():
        model, record = TaskModel.load(folder), _last_record(job, seed)
    else:
        task = setting.sections.get("task", {})
        with MetricsLog(_metrics_path(job, seed)) as log:
            checkpoints = Checkpoints(job.run.checkpoints / f"seed-{seed + 1}", job.run.note)
            context = RunContext(
                job.run.path,
                title=job.task if setting.finetuning.seeds == 1 else f"{job.task}, seed {seed + 1}",
                log=log,
                checkpoints=checkpoints,
                resume=job.resume,
                quiet=job.quiet,
            )
            model, record = train_once(setting, config, task, context)
        if setting.finetuning.seeds > 1:
            model.write(folder, {})
    job.run.note(f"seed {config.seed}: {record['step']:,} steps in {record['time']:.1f} s")
    valid = model.figures(setting.rows.valid) if setting.rows.valid else None
    return Trained(model, config, record, valid)


def _metrics_path(job: FinetuneJob, seed: int) -> Path:
    path = job.run.metrics
    return path if seed == 0 else path.with_name(f"{path.stem}-seed-{seed + 1}{path.suffix}")


def _last_record(job: FinetuneJob, seed: int) -> dict[str, Any]:
    record: dict[str, Any] = dict(MetricsLog(_metrics_path(job, seed)).read()[-1])
    return record


def _examined(model: TaskModel, rows: TaskRows) -> dict[str, Any] | None:
    """Answer the rows to test on, or those held out where there are none, and look closely."""
    part, others = ("test", rows.test) if rows.test else ("valid", rows.valid)
    if not others:
        return None
    return {"part": part, **model.examine(others, learned_from=rows.train)}
