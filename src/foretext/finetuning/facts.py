"""What is kept of a fine-tuning beside the model: its figures, those beside them, every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from foretext._version import __version__
from foretext.backbones import BACKBONES
from foretext.classifiers.baseline import Baseline
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.rows import TaskRows
from foretext.finetuning.training import Setting, Trained

__all__ = ["resolved_sections", "task_facts"]

METHODS = {
    "pretrained": "pretrained",
    "vectors": "static word vectors under a new network",
    "scratch": "randomly initialised",
}


def task_facts(
    job: FinetuneJob,
    setting: Setting,
    trained: Sequence[Trained],
    best: Trained,
    examination: Mapping[str, Any] | None,
    baseline: Baseline | None,
) -> dict[str, Any]:
    """Return what ``config.json`` keeps of a run.

    Args:
        job: with task and base.
        setting: of all trainings.
        trained: a training a seed.
        best: the one that is kept.
        examination: of its answers, with their figures; None where there were no rows for it.
        baseline: that learned from the same rows.
    """
    rows, model = setting.rows, best.model
    seen = {} if examination is None else {examination["part"]: examination["figures"]}
    valid = seen.get("valid") or (model.figures(rows.valid) if rows.valid else None)
    test = seen.get("test")
    alone = _alone(best, examination)
    own = test if alone is None else alone["test"]
    tests = [
        own if each is best else each.model.figures(rows.test)
        for each in trained
        if own is not None
    ]
    return {
        "foretext": __version__,
        **model.described(),
        "task": job.task,
        "method": METHODS[setting.begun.origin],
        "base": str(job.base) if isinstance(job.base, str | Path) else type(job.base).__name__,
        "origin": setting.begun.origin,
        "rows": len(rows.train),
        "steps": best.record["step"],
        "loss": best.record["loss"],
        "valid_loss": best.record.get("valid_loss"),
        "seconds": best.record["time"],
        "search": setting.search,
        "valid": valid,
        "test": test,
        "network": alone,
        "baseline": None if baseline is None else _measured(baseline, setting.rows),
        "seeds": _seeds(model.judged_by, trained, tests) if len(trained) > 1 else None,
    }  # fmt: skip


def resolved_sections(job: FinetuneJob, setting: Setting, best: Trained) -> dict[str, Any]:
    """Return every setting of the run."""
    body = best.model.base
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


def _alone(best: Trained, examination: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """By part, the figures of a network that answers together with its baseline."""
    if examination is None or "network" not in examination:
        return None
    answered = {examination["part"]: examination["network"]}
    return {"valid": best.valid, "test": answered.get("test")}


def _measured(baseline: Baseline, rows: TaskRows) -> dict[str, Any]:
    return {
        "name": baseline.name,
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
