"""One trial of a search after another: a network is trained with settings, and judged."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from foretext.base.errors import DivergedError
from foretext.finetuning.allotment import FEWEST_LEARNED
from foretext.finetuning.learner import Tell
from foretext.finetuning.rehearsal import rehearsed
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.finetuning.trials import FEWEST_TRIALS
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.predictor import Predictor

if TYPE_CHECKING:
    from foretext.finetuning.network import NetworkLearner

__all__ = ["NetworkTrials"]

CUT_RATE = 0.03  # of a trial's time: one that has less left has not come to its end
FEW = 64  # rows with which kernels are made ready
FEWEST_ROWS = 100  # to judge by, however long they take
ENCODING_RATE = 0.3  # of a trial's time, for encoding the rows to learn from, at most
JUDGING_RATE = 0.15  # of a trial's time, for judging its model, at most


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
