"""A run of fine-tuning: rows are read, a head is put on a body, trained, measured and kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from foretext._version import __version__
from foretext.backbones import BACKBONES
from foretext.backbones.transformer import Transformer
from foretext.errors import CorpusError, SettingError
from foretext.evaluation.task_examination import examine
from foretext.files import atomic_file
from foretext.pipeline.bodies import Beginning, begin_with
from foretext.pipeline.finetuning import Body, Finetuned, FinetuneJob
from foretext.pipeline.task_baselines import learn_baseline
from foretext.pipeline.task_rows import TaskRows, read_rows
from foretext.pipeline.task_settings import FinetuningConfig, training_config
from foretext.pipeline.task_validation import TaskValidation
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.workplace import Workplace
from foretext.report.task_card import task_card
from foretext.task_models import TASK_MODELS
from foretext.task_models.base import TaskModel
from foretext.task_models.storage import load_task_model, save_task_model
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["NETWORK", "SEEDS", "Setting", "Trained", "learn_task", "train_once"]

TRANSFORMER_DROPOUT = 0.1
SEEDS = "seeds"  # folder of the models of other seeds, while a run is unfinished

Sections = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Setting:
    """All that trainings of one run have in common."""

    model: type[TaskModel]
    rows: TaskRows
    begun: Beginning
    finetuning: FinetuningConfig
    sections: Sections  # of the user
    search: Mapping[str, Any] | None = None  # how many settings were tried, and the best score

    def training(self, seed: int, **changes: Any) -> TrainingConfig:
        """Return how the training with a seed goes on."""
        given = {**self.sections.get("training", {}), **changes}
        validated = bool(self.rows.valid)
        task = self.sections.get("task", {})
        has_chain = bool(task.get("crf") or task.get("lstm_dim"))
        return training_config(
            given,
            self.begun,
            num_rows=len(self.rows.train),
            is_validated=validated,
            has_chain=has_chain,
            seed=seed,
        )


@dataclass(frozen=True)
class Trained:
    """One training's model and figures."""

    model: TaskModel
    training: TrainingConfig
    record: Mapping[str, Any]  # the last one of metrics.jsonl
    valid: Mapping[str, Any] | None

    @property
    def score(self) -> float:
        """By which it is chosen among others; higher is better."""
        return 0.0 if self.valid is None else float(self.valid[self.model.judged_by])


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
        calibrate: Any = model.calibrate  # type: ignore[attr-defined]
        job.note(f"temperature of probabilities: {calibrate(setting.rows.valid):.3f}")
    if getattr(model, "may_abstain", False) and setting.rows.valid:
        find_threshold: Any = model.find_threshold  # type: ignore[attr-defined]
        job.note(f"no answer where its margin is above {find_threshold(setting.rows.valid):.3f}")
    if num_cut := model.num_cut(setting.rows.train):
        job.note(
            f"{num_cut:,} of {len(setting.rows.train):,} rows to learn from are longer than the "
            "model reads at once"
        )
    examination = _examined(model, setting.rows)
    facts = {**_facts(job, setting, trained, best, examination), "cut": num_cut}
    sections = _resolved(job, setting, best)
    if examination is not None:
        with atomic_file(job.run.examination) as temporary:
            temporary.write_text(json.dumps(examination, ensure_ascii=False), encoding="utf-8")
    save_task_model(job.run.path, model, facts)
    shutil.rmtree(job.run.path / SEEDS, ignore_errors=True)
    return Finetuned(
        model, sections, facts, task_card(facts, sections, job.run.path, job.run.their_class)
    )


NETWORK = Body(
    ("task", "finetuning", "training", "backbone", "tokenizer"), learn_task, writes_config=False
)


def train_once(
    setting: Setting, config: TrainingConfig, task: Mapping[str, Any], place: Workplace
) -> tuple[TaskModel, dict[str, Any]]:
    """Train one model by these settings; return it and the last record."""
    body = setting.begun.body(config.seed)
    _set_dropout(body.backbone, setting)
    task_config = setting.model.task_config().checked(dict(task), "task")
    torch.manual_seed(config.seed)
    model = setting.model.begin(body, task_config, setting.rows.train)
    known = [row for row in setting.rows.valid if model.knows(row)]
    if setting.rows.valid and not known:
        raise CorpusError(
            f"None of the {len(setting.rows.valid):,} held-out rows has an answer that the rows to "
            "learn from show; give rows of the same kind."
        )
    validation = TaskValidation(model, known, config.batch_examples) if known else None
    examples = model.examples(setting.rows.train)
    history = fit(Model(body.backbone, model.task), examples, config, place, validation)
    return model, history[-1]


def _setting(job: FinetuneJob) -> Setting:
    finetuning = FinetuningConfig.checked(dict(job.settings.get("finetuning", {})), "finetuning")
    model: type[TaskModel] = TASK_MODELS.resolve(job.task)
    model.task_config().checked(dict(job.settings.get("task", {})), "task")
    seed = TrainingConfig.checked(dict(job.settings.get("training", {})), "training").seed
    judges = finetuning.calibrate or job.search_seconds is not None
    holds_out = judges or finetuning.fresh or not _is_pretrained(job)
    rows = read_rows(job, model, finetuning.valid_rate, holds_out=holds_out, seed=seed)
    _check_calibration(job, finetuning, model, rows)
    begun = begin_with(
        job.base,
        job.task,
        rows.texts(),
        {name: job.settings.get(name, {}) for name in ("backbone", "tokenizer")},
        num_characters=model.num_characters(rows.train),
        fresh=finetuning.fresh,
    )
    sections = dict(job.settings)
    if job.budget_seconds is not None:
        budget = job.budget_seconds / finetuning.seeds
        sections["training"] = {**sections.get("training", {}), "budget_seconds": budget}
    setting = Setting(model, rows, begun, finetuning, sections)
    if job.search_seconds is None:
        return setting
    from foretext.pipeline.task_search import searched

    return searched(job, setting)


def _check_calibration(
    job: FinetuneJob, config: FinetuningConfig, model: type[TaskModel], rows: TaskRows
) -> None:
    """Refuse, before anything is trained, what cannot be calibrated after it."""
    if not config.calibrate:
        return
    found = model.find(rows.train)
    if not hasattr(model, "calibrate") or found.get("multi_label") or "lowest" in found:
        raise SettingError(
            "[finetuning] calibrate fits the probabilities of labels of which one is right, and "
            "these rows have none such; leave it out."
        )
    if not rows.valid:
        raise CorpusError(
            f"{job.train}: too few rows to hold some out and calibrate by them; give more, or a "
            "file with --valid."
        )


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
    folder = job.run.path / SEEDS / str(seed + 1)
    if job.resume and (folder / "config.json").is_file():
        model, record = load_task_model(folder), _last_record(job, seed)
    else:
        task = setting.sections.get("task", {})
        with MetricsLog(_metrics_path(job, seed)) as log:
            checkpoints = Checkpoints(job.run.checkpoints / f"seed-{seed + 1}", job.run.note)
            place = Workplace(
                job.run.path,
                title=job.task if setting.finetuning.seeds == 1 else f"{job.task}, seed {seed + 1}",
                log=log,
                checkpoints=checkpoints,
                resume=job.resume,
                quiet=job.quiet,
            )
            model, record = train_once(setting, config, task, place)
        if setting.finetuning.seeds > 1:
            save_task_model(folder, model, {"kind": job.task})
    job.run.note(f"seed {config.seed}: {record['step']:,} steps in {record['time']:.1f} s")
    valid = model.figures(setting.rows.valid) if setting.rows.valid else None
    return Trained(model, config, record, valid)


def _metrics_path(job: FinetuneJob, seed: int) -> Path:
    path = job.run.metrics
    return path if seed == 0 else path.with_name(f"{path.stem}-seed-{seed + 1}{path.suffix}")


def _last_record(job: FinetuneJob, seed: int) -> dict[str, Any]:
    record: dict[str, Any] = dict(MetricsLog(_metrics_path(job, seed)).read()[-1])
    return record


def _set_dropout(backbone: nn.Module, setting: Setting) -> None:
    """Training from labels wants dropout, which pretraining goes without."""
    rate = setting.finetuning.body_dropout
    if rate is None:
        if not isinstance(backbone, Transformer):
            return
        rate = TRANSFORMER_DROPOUT
    for module in backbone.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate


def _examined(model: TaskModel, rows: TaskRows) -> dict[str, Any] | None:
    """Answer the rows to test on, or those held out where there are none, and look closely."""
    part, others = ("test", rows.test) if rows.test else ("valid", rows.valid)
    if not others:
        return None
    return {"part": part, **examine(model, others, learned_from=rows.train)}


def _facts(
    job: FinetuneJob,
    setting: Setting,
    trained: Sequence[Trained],
    best: Trained,
    examination: Mapping[str, Any] | None,
) -> dict[str, Any]:
    rows, model = setting.rows, best.model
    seen = {} if examination is None else {examination["part"]: examination["figures"]}
    valid = seen.get("valid") or (model.figures(rows.valid) if rows.valid else None)
    test = seen.get("test")
    tests = [
        test if each is best else each.model.figures(rows.test)
        for each in trained
        if test is not None
    ]
    return {
        "foretext": __version__,
        "kind": job.task,
        "task": job.task,
        "base": str(job.base) if isinstance(job.base, str | Path) else type(job.base).__name__,
        "origin": setting.begun.origin,
        "rows": len(rows.train),
        "labels": len(model.task.found.get("labels", ())) or None,
        "judged_by": model.judged_by,
        "parameters": sum(
            weight.numel() for part in (model.body.backbone, model.task)
            for weight in part.parameters()
        ),
        "steps": best.record["step"],
        "loss": best.record["loss"],
        "valid_loss": best.record.get("valid_loss"),
        "seconds": best.record["time"],
        "search": setting.search,
        "valid": valid,
        "test": test,
        "baseline": _baseline(job, setting),
        "seeds": _seeds(model.judged_by, trained, tests) if len(trained) > 1 else None,
    }  # fmt: skip


def _baseline(job: FinetuneJob, setting: Setting) -> dict[str, Any] | None:
    if not setting.finetuning.baseline:
        return None
    rows = setting.rows
    try:
        baseline = learn_baseline(job.task, rows.train)
    except CorpusError as error:  # no reason to lose what was trained
        job.note(f"there is no baseline: {error}")
        return None
    return {
        "name": baseline.name,
        "seconds": baseline.seconds,
        "valid": baseline.figures(rows.valid) if rows.valid else None,
        "test": baseline.figures(rows.test) if rows.test else None,
    }


def _seeds(
    judged_by: str, trained: Sequence[Trained], tests: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Mean and deviation of the figure that counts, over all seeds."""
    found: dict[str, Any] = {"seeds": [each.training.seed for each in trained]}
    valid = [each.valid for each in trained if each.valid is not None]
    for part, figures in (("valid", valid), ("test", tests)):
        values = [float(each[judged_by]) for each in figures]
        found[part] = values and {
            "each": values,
            "mean": float(np.mean(values)),
            "deviation": float(np.std(values, ddof=1)),
        }
    return found


def _resolved(job: FinetuneJob, setting: Setting, best: Trained) -> dict[str, Any]:
    """Return every setting of the run."""
    body = best.model.body
    backbone: Any = body.backbone
    tokenizer = getattr(body.tokenizer, "config", None)
    sections: dict[str, Any] = {
        "run": job.described(),
        "task": best.model.task.config.model_dump(exclude_none=True),
        "finetuning": setting.finetuning.model_dump(exclude_none=True),
        "training": best.training.model_dump(exclude_none=True),
        "backbone": {
            "name": BACKBONES.name_of(type(backbone)),
            **backbone.config.model_dump(exclude_none=True),
        },
        "rows": job.rows.model_dump(exclude_none=True),
    }
    if tokenizer is not None:
        sections["tokenizer"] = tokenizer.model_dump(exclude_none=True)
    return sections
