"""Trials of a network's settings, drawn by the tree-structured Parzen estimator of optuna.

Bergstra et al. 2011. What the user has chosen is left alone; a trial is judged by the figure of the
task on held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from torch import nn

from foretext.base.errors import DivergedError, MissingExtraError, SettingError
from foretext.finetuning.allotment import FEWEST_LEARNED, rehearsed
from foretext.finetuning.learner import Found, Tell
from foretext.finetuning.start import Start
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.messages import message
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.predictor import Predictor
from foretext.training.settings import TrainingConfig

if TYPE_CHECKING:
    from optuna.trial import Trial

    from foretext.finetuning.network import NetworkLearner

__all__ = ["NetworkTrials", "Score", "open_settings", "search_trials"]

FEWEST_TRIALS = 5  # for which there is time in any case; so long a trial is cut short
LEAST = -1.0  # what the search gets for settings that diverge; no figure is lower

CUT_RATE = 0.03  # of a trial's time: one that has less left has not come to its end
FEW = 64  # rows with which kernels are made ready
FEWEST_ROWS = 100  # to judge by, however long they take
ENCODING_RATE = 0.3  # of a trial's time, for encoding the rows to learn from, at most
JUDGING_RATE = 0.15  # of a trial's time, for judging its model, at most


class Score(Protocol):
    """Judges settings."""

    def __call__(self, settings: Mapping[str, Mapping[str, Any]], time: Budget, /) -> float | None:
        """Train with settings by section, as long as the time allows; None: it diverged."""


def search_trials(
    names: set[str], usual: TrainingConfig, budget: Budget, score: Score, tell: Tell
) -> Found:
    """Try settings until the time is over.

    A trial has a fifth of the time. Where a whole training takes longer, it is a shorter one, whose
    learning rate falls to its end all the same, so that trials of one search compare. The last
    trial has what is left of the time, unless that is less than half of the longest one.

    Args:
        names: of the settings that are open.
        usual: the settings around which others are drawn, and the seed of the draw.
        budget: of all trials.
        score: trains and judges.
        tell: is called with each trial.

    Raises:
        DivergedError: no trial ended well.
        MissingExtraError: optuna is not installed.
        SettingError: nothing is open.
    """
    try:
        import optuna
    except ModuleNotFoundError as error:
        raise MissingExtraError("optuna", "search", message("errors.purpose.settings")) from error
    if not names:
        raise SettingError(message("options.finetune.nothing_to_search"))
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=usual.seed, n_startup_trials=5)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    found: list[tuple[float | None, dict[str, Any]]] = []
    for number, limit in enumerate(_limits(budget), 1):
        trial = study.ask()
        drawn = _drawn(trial, usual, names)
        value = score(_by_section(drawn), Budget.started(limit, clock=budget.clock))
        study.tell(trial, LEAST if value is None else value)
        tell({"trial": number, "score": value, **drawn})
        found.append((value, drawn))
    scored = [(value, drawn) for value, drawn in found if value is not None]
    if not scored:
        raise DivergedError(
            f"All {len(found)} settings that were tried diverged; choose a lower "
            "training.learning_rate, or search longer."
        )
    best, drawn = max(scored, key=lambda each: each[0])
    return Found(_by_section(drawn), best, len(found), drawn)


def open_settings(
    training: Mapping[str, Any], task: Mapping[str, Any], start: Start, head: nn.Module
) -> set[str]:
    """Return the names of the settings that a search varies: left open, and with an effect.

    Args:
        training: what the user set of `[training]`.
        task: likewise, of `[task]`.
        start: what the network starts with.
        head: of the task; not all have dropout.
    """
    found = {"learning_rate"} if "batch_tokens" in training else {"learning_rate", "batch_examples"}
    if not training.keys() & {"steps", "budget_seconds"}:
        found.add("epochs")
    has_layers = start.base.backbone.task_traits.tunes_layer_decay and start.origin == "pretrained"
    if has_layers and training.get("freeze") != "backbone":
        found.add("layer_decay")
    if any(isinstance(module, nn.Dropout) and module.p > 0 for module in head.modules()):
        found.add("dropout")
    return found - training.keys() - task.keys()


def _limits(budget: Budget) -> Iterator[float]:
    """Yield the seconds that each trial may take, of one trial at least, until the time is over."""
    usual, longest = budget.seconds / FEWEST_TRIALS, 0.0
    while True:
        began = budget.elapsed
        yield max(min(usual, budget.left), 1e-3)
        longest = max(longest, budget.elapsed - began)
        if budget.left < longest / 2:
            return


def _drawn(trial: Trial, usual: TrainingConfig, names: set[str]) -> dict[str, Any]:
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


def _by_section(drawn: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {}
    for name, value in drawn.items():
        section = "training" if name in TrainingConfig.model_fields else "task"
        sections.setdefault(section, {})[name] = value
    return sections


@dataclass
class NetworkTrials:
    """The trials of one search, all judged by the same rows.

    Attributes:
        learner: with the settings that are not varied.
        rows: with as many as can be learned from, and judged by.
        judging: seconds that judging takes.
        tell: is called at each step.
        num_cut: trials that were shorter than a whole training.
    """

    learner: NetworkLearner
    rows: TaskRows
    judging: float
    tell: Tell
    num_cut: int = 0

    @classmethod
    def prepared(
        cls, learner: NetworkLearner, model: Predictor, rows: TaskRows, budget: Budget, tell: Tell
    ) -> Self:
        """Make kernels ready, and choose the rows to judge by.

        Args:
            learner: that searches.
            model: of its `untrained`.
            rows: of the run.
            budget: of the search.
            tell: is called at each step.
        """
        cost = rehearsed(model.figures, rows.valid, budget)
        limit = budget.seconds / FEWEST_TRIALS
        judged = sampled(rows.valid, max(cost.rows_in(JUDGING_RATE * limit), FEWEST_ROWS))
        encoding = rehearsed(partial(learner.encode, model), rows.learned, budget)
        share = len(rows.learned) / (len(rows.learned) + learner.preparation.num_unlabelled)
        learned = max(round(share * encoding.rows_in(ENCODING_RATE * limit)), FEWEST_LEARNED)
        some = sampled(rows.learned, learned) if learned < len(rows.learned) else rows.some
        few = replace(rows, valid=judged[:FEW], some=sampled(rows.learned, FEW))
        with suppress(DivergedError):  # the trials will show it
            cls(learner, few, 0.0, tell)._train({}, Budget.started(1e-3, clock=budget.clock))
        return cls(learner, replace(rows, valid=judged, some=some), cost.of(len(judged)), tell)

    def score(self, settings: Mapping[str, Mapping[str, Any]], time: Budget, /) -> float | None:
        """Return how good a model with these settings is; None: its training diverged."""
        try:
            model, is_cut = self._train(settings, time.extended(-self.judging))
        except DivergedError:
            return None
        self.num_cut += is_cut
        return float(model.figures(self.rows.valid)[model.judged_by])

    def _train(
        self, settings: Mapping[str, Mapping[str, Any]], time: Budget
    ) -> tuple[Predictor, bool]:
        """Return a model, and whether its training was cut short."""
        folder = self.learner.job.run.path
        context = RunContext(folder, quiet=True, tick=self.tell.tick, budget=time)
        model, _ = self.learner.with_settings(settings).train(self.rows, 0, context)
        return model, time.left <= CUT_RATE * time.seconds
