"""What a trained task is measured beside: answers learned in seconds from the same rows."""

from __future__ import annotations

from foretext.classifiers.baseline import Baseline
from foretext.errors import CorpusError
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.training import Setting

__all__ = ["learned_baseline"]


def learned_baseline(job: FinetuneJob, setting: Setting) -> Baseline | None:
    """Learn the baseline of a run; None where none is wanted, or nothing is to be learned."""
    if not setting.finetuning.baseline:
        return None
    try:
        return setting.model.baseline(setting.rows.train)
    except CorpusError as error:  # no reason to lose what was trained
        job.note(f"there is no baseline: {error}")
        return None
