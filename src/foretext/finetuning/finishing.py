"""What a network gets by its rows beside its weights: warnings, a temperature, a partner."""

from __future__ import annotations

import numpy as np
import torch

from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.messages import message
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import TaskModel

__all__ = ["finish_network", "noted_joined", "noted_reading", "noted_vectors"]

CUT_SAMPLE = 1000  # rows
UNKNOWN_SAMPLE, MOST_UNKNOWN = 500, 0.1  # rows, share of their tokens
MOST_WITHOUT_VECTOR = 0.5  # share of tokens: of a text in the language of the vectors, a tenth


def finish_network(
    job: FinetuneJob,
    config: FinetuningConfig,
    model: TaskModel,
    rows: TaskRows,
    baseline: Baseline | None,
) -> None:
    """Fit what held-out rows decide."""
    if rows.valid:
        for note in model.finish(rows.valid):
            job.note(note)
    if config.calibrate:
        job.note(message("notes.finetune.temperature", temperature=model.calibrate(rows.valid)))
    if config.ensemble:
        _join(job, model, rows, baseline)


def noted_reading(job: FinetuneJob, model: TaskModel, rows: TaskRows) -> int:
    """Warn of rows that the model cannot read, or not whole; return how many are too long.

    Under a budget their number follows from a sample: all rows would be encoded once more for it.
    """
    some = rows.train if job.budget is None else sampled(rows.train, CUT_SAMPLE)
    num_cut = round(model.num_cut(some) * len(rows.train) / len(some))
    if num_cut:
        key = "about_cut" if len(some) < len(rows.train) else "cut"
        job.note(message(f"notes.finetune.{key}", number=num_cut, all=len(rows.train)))
    rate = model.unknown_rate(rows.train[:: -(-len(rows.train) // UNKNOWN_SAMPLE)])
    if rate > MOST_UNKNOWN:
        job.note(message("notes.finetune.unknown", rate=rate))
    return num_cut


def noted_vectors(
    job: FinetuneJob, vectors: np.ndarray | None, model: TaskModel, rows: TaskRows
) -> None:
    """Warn if most tokens of the rows have no vector: the vectors are of another language.

    Args:
        job: that is warned.
        vectors: (V, E) to start from, with NaN for tokens without one; None: there are none.
        model: that reads the rows.
        rows: of the training.
    """
    if vectors is None:
        return
    ids = model.examples(rows.train[:: -(-len(rows.train) // UNKNOWN_SAMPLE)]).rows.values
    rate = float(np.isnan(vectors[:, 0])[ids].mean())
    if rate > MOST_WITHOUT_VECTOR:
        job.warn(message("findings.rows.no_vectors", rate=rate))


def noted_joined(job: FinetuneJob, model: TaskModel, rows: TaskRows) -> None:
    """Say which share of the words of the rows has a vector of those that are joined with states.

    Args:
        job: that notes it, or warns if most words have none.
        model: that reads the rows.
        rows: of the training.
    """
    table = model.base.word_vectors
    if table is None:
        return
    ids = model.examples(rows.train[:: -(-len(rows.train) // UNKNOWN_SAMPLE)]).rows.values
    special = [*model.base.tokenizer.special.ids]
    words = torch.from_numpy(ids[~np.isin(ids, special)].astype(np.int64))
    rate = float(table.knows(words).float().mean()) if len(words) else 0.0
    tell = job.note if rate > 1 - MOST_WITHOUT_VECTOR else job.warn
    tell(message("findings.rows.joined", dim=table.dim, rate=rate))


def _join(job: FinetuneJob, model: TaskModel, rows: TaskRows, baseline: Baseline | None) -> None:
    """Let a network answer together with its baseline, weighted by held-out rows."""
    if baseline is None or baseline.linear is None:
        job.note(message("notes.finetune.alone"))
        return
    weights = model.join(baseline.linear, rows.valid)
    job.note(message("notes.finetune.joined", network=weights.network, linear=weights.linear))
