"""A search for a fine-tuning's settings in the time that is given for it.

Settings are drawn by the tree-structured Parzen estimator of optuna (Bergstra et al. 2011), and
judged by the task's figure on held-out rows. What the user has chosen is left alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from foretext.backbones.transformer import Transformer
from foretext.errors import CorpusError, MissingExtraError
from foretext.pipeline.finetuning import FinetuneJob
from foretext.pipeline.task_learning import Setting, train_once
from foretext.progress import MetricsLog, Progress
from foretext.progress.workplace import Workplace

if TYPE_CHECKING:
    from optuna.trial import Trial

__all__ = ["searched"]

TRIALS_FILE = "trials.jsonl"

Sections = dict[str, dict[str, Any]]


def searched(job: FinetuneJob, setting: Setting) -> Setting:
    """Return the run's setting with the best of the settings that there was time to try.

    Trials are trainings with the seed of the run. None begins that would, going by the longest one
    before it, end after the time.

    Raises:
        CorpusError: there are no rows to judge by.
        MissingExtraError: optuna is not installed.
    """
    try:
        import optuna
    except ModuleNotFoundError as error:
        raise MissingExtraError("optuna", "search", "A search for settings") from error
    if not setting.rows.valid:
        raise CorpusError(
            f"{job.train}: too few rows to hold some out and judge settings by them; give more, or "
            "a file with --valid."
        )
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    seed = setting.training(0).seed
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    )
    found: list[tuple[float, Sections]] = []
    for trial in _trials(job, setting, study):
        drawn = _drawn(trial, setting)
        score = _score(job, _with(setting, drawn))
        study.tell(trial, score)
        found.append((score, drawn))
        with MetricsLog(job.run.path / TRIALS_FILE) as log:
            log.append({"trial": len(found), "score": score, **_flat(drawn)})
    score, best = max(found, key=lambda pair: pair[0])
    job.note(f"{len(found)} settings tried; the best scores {score:.4f}: {_told(best)}")
    return _with(setting, best)


def _trials(job: FinetuneJob, setting: Setting, study: Any) -> Any:
    """Yield trials, one at least, until the next one would take too long."""
    seconds, began, longest = job.search_seconds or 0.0, time.monotonic(), 0.0
    with Progress("searching", seconds, "seconds", quiet=job.quiet) as bar:
        while True:
            start = time.monotonic()
            yield study.ask()
            now = time.monotonic()
            longest = max(longest, now - start)
            bar.advance(min(now - began, seconds) - bar.done, best=study.best_value)
            if now - began + longest > seconds:
                return


def _drawn(trial: Trial, setting: Setting) -> Sections:
    """Draw what the user has left open."""
    usual, chosen = setting.training(0), setting.sections.get("training", {})
    drawn: dict[str, Any] = {
        "learning_rate": trial.suggest_float(
            "learning_rate", usual.learning_rate / 4, usual.learning_rate * 4, log=True
        ),
        "batch_examples": trial.suggest_categorical("batch_examples", [16, 32, 64]),
    }
    if not chosen.keys() & {"steps", "budget_seconds"}:
        most = 2 * int(usual.epochs)
        drawn["epochs"] = trial.suggest_int("epochs", max(most // 4, 1), most)
    if isinstance(setting.begun.backbone, Transformer) and setting.begun.origin == "pretrained":
        drawn["layer_decay"] = trial.suggest_float("layer_decay", 0.7, 1.0)
    training = {name: value for name, value in drawn.items() if name not in chosen}
    task = {}
    if "dropout" not in setting.sections.get("task", {}):
        task["dropout"] = trial.suggest_float("dropout", 0.0, 0.4)
    return {"training": training, "task": task}


def _score(job: FinetuneJob, setting: Setting) -> float:
    config = setting.training(0)
    place = Workplace(job.run.path, quiet=True)
    model, _ = train_once(setting, config, setting.sections.get("task", {}), place)
    return float(model.figures(setting.rows.valid)[model.judged_by])


def _with(setting: Setting, drawn: Mapping[str, Mapping[str, Any]]) -> Setting:
    sections = dict(setting.sections)
    for section, values in drawn.items():
        sections[section] = {**values, **sections.get(section, {})}
    return replace(setting, sections=sections)


def _flat(drawn: Sections) -> dict[str, Any]:
    return {name: value for values in drawn.values() for name, value in values.items()}


def _told(drawn: Sections) -> str:
    return ", ".join(
        f"{section}.{name} = {value:.3g}" if isinstance(value, float) else f"{name} = {value}"
        for section, values in drawn.items()
        for name, value in values.items()
    )
