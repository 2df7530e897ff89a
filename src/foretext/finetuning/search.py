"""A search for a fine-tuning's settings in the time that is given for it.

Settings are drawn by the tree-structured Parzen estimator of optuna (Bergstra et al. 2011), and
judged by the task's figure on held-out rows. What the user has chosen is left alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from foretext.backbones.transformer import Transformer
from foretext.errors import CorpusError, DivergedError, MissingExtraError, SettingError
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.training import Setting, train_once
from foretext.progress import MetricsLog, Progress
from foretext.progress.run_context import RunContext
from foretext.training.settings import TrainingConfig

if TYPE_CHECKING:
    from optuna.trial import Trial

__all__ = ["searched"]

LEAST = -1.0  # what the search is told of settings that diverge; no figure is lower


def searched(job: FinetuneJob, setting: Setting) -> Setting:
    """Return the run's setting with the best of the settings that there was time to try.

    Trials are trainings with the seed of the run. None begins that would, going by the longest one
    before it, end after the time.

    Raises:
        CorpusError: there are no rows to judge by.
        DivergedError: with none of the settings tried a training ended well.
        MissingExtraError: optuna is not installed.
        SettingError: nothing is left to try.
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
    trials = job.run.trials
    if job.resume and _is_over(job):
        return _with_best(setting, MetricsLog(trials).read())
    trials.unlink(missing_ok=True)
    seed = setting.training(0).seed
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    )
    if not (open_settings := _open_settings(setting)):
        raise SettingError("All that a search would try has been chosen; leave the search out.")
    with MetricsLog(trials) as log:
        for number, trial in enumerate(_trials(job, study), 1):
            drawn = _drawn(trial, setting, open_settings)
            score = _score(job, _with(setting, drawn))
            study.tell(trial, LEAST if score is None else score)
            log.append({"trial": number, "score": score, **drawn})
    found = _with_best(setting, MetricsLog(trials).read())
    job.note(_told(found))
    return found


def _is_over(job: FinetuneJob) -> bool:
    """Whether an interrupted run had begun to train by the best of its trials."""
    return any(job.run.checkpoints.glob("seed*"))


def _trials(job: FinetuneJob, study: Any) -> Any:
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


def _open_settings(setting: Setting) -> set[str]:
    """Return what the user has left open and has an effect."""
    chosen = setting.sections.get("training", {})
    found = {"learning_rate", "batch_examples"}
    if not chosen.keys() & {"steps", "budget_seconds"}:
        found.add("epochs")
    is_deep = isinstance(setting.begun.backbone, Transformer)
    if is_deep and setting.begun.origin == "pretrained" and chosen.get("freeze") != "backbone":
        found.add("layer_decay")
    task = setting.sections.get("task", {})
    config = setting.model.task_config().checked(dict(task), "task")
    begun = setting.model.begin(setting.begun.body(0), config, setting.rows.train)
    if not getattr(begun.task, "is_cosine", False):
        found.add("dropout")
    return found - chosen.keys() - task.keys()


def _drawn(trial: Trial, setting: Setting, names: set[str]) -> dict[str, Any]:
    usual = setting.training(0)
    most = max(2 * int(usual.epochs), 1)
    draw: dict[str, Callable[[], Any]] = {
        "learning_rate": lambda: trial.suggest_float(
            "learning_rate", usual.learning_rate / 4, usual.learning_rate * 4, log=True
        ),
        "batch_examples": lambda: trial.suggest_categorical("batch_examples", [16, 32, 64]),
        "epochs": lambda: trial.suggest_int("epochs", max(most // 4, 1), most),
        "layer_decay": lambda: trial.suggest_float("layer_decay", 0.7, 1.0),
        "dropout": lambda: trial.suggest_float("dropout", 0.0, 0.4),
    }
    return {name: suggest() for name, suggest in draw.items() if name in names}


def _score(job: FinetuneJob, setting: Setting) -> float | None:
    """Return the figure of a model that these settings give; None: the training diverged."""
    config = setting.training(0)
    context = RunContext(job.run.path, quiet=True)
    try:
        model, _ = train_once(setting, config, setting.sections.get("task", {}), context)
    except DivergedError:
        return None
    return float(model.figures(setting.rows.valid)[model.judged_by])


def _with(setting: Setting, drawn: Mapping[str, Any]) -> Setting:
    sections = dict(setting.sections)
    for name, value in drawn.items():
        section = "training" if name in TrainingConfig.model_fields else "task"
        sections[section] = {name: value, **sections.get(section, {})}
    return replace(setting, sections=sections)


def _with_best(setting: Setting, trials: Sequence[Mapping[str, Any]]) -> Setting:
    """Return the setting with what the best of the trials was drawn.

    Raises:
        DivergedError: none of them ended well.
    """
    scored = [trial for trial in trials if trial["score"] is not None]
    if not scored:
        raise DivergedError(
            f"All {len(trials)} settings that were tried diverged; choose a lower "
            "training.learning_rate, or search longer."
        )
    best = max(scored, key=lambda trial: trial["score"])
    drawn = {name: value for name, value in best.items() if name not in ("trial", "score")}
    search = {"trials": len(trials), "score": best["score"], "settings": drawn}
    return replace(_with(setting, drawn), search=search)


def _told(setting: Setting) -> str:
    assert setting.search is not None
    chosen = ", ".join(
        f"{name} = {value:.3g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in setting.search["settings"].items()
    )
    tried, score = setting.search["trials"], setting.search["score"]
    return f"{tried} settings tried; the best scores {score:.4f}: {chosen}"
