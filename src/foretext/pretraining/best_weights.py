"""Which weights of a language model are kept, and the warning where its held-out loss has risen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foretext.messages import message
from foretext.pretraining.job import PretrainingJob
from foretext.training.kept_record import kept_record
from foretext.vectors.best_weights import RISEN_RATE

__all__ = ["ending_warning", "keeps_best"]


def keeps_best(job: PretrainingJob, *, is_held_out: bool) -> PretrainingJob:
    """Return the job with the best weights kept under a budget, where the user said nothing else.

    A budget may read a text more often than it is worth.
    """
    is_open = "training.keep" not in job.recipe.chosen
    if job.budget is None or not is_held_out or not is_open:
        return job
    return replace(job, recipe=job.recipe.with_settings("training", keep="best"))


def ending_warning(history: Sequence[Mapping[str, Any]], *, keep: str) -> str | None:
    """Say where a training went past its best, and which weights are kept; None: it did not."""
    best, last = kept_record(history, keep="best"), history[-1]
    if "valid_loss" not in best or "valid_loss" not in last:
        return None
    lowest, now = float(best["valid_loss"]), float(last["valid_loss"])
    if now <= lowest * (1 + RISEN_RATE):
        return None
    return message(
        f"findings.network.{'kept_best' if keep == 'best' else 'kept_last'}",
        best=best["kept_step"],
        epoch=best["kept_epoch"],
        lowest=lowest,
        loss=now,
        step=last["step"],
    )
