"""What is refused, or told, of a fine-tuning before anything is trained."""

from __future__ import annotations

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.errors import CorpusError, SettingError
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.rows import TaskRows
from foretext.finetuning.settings import FinetuningConfig
from foretext.task_models.base import TaskModel
from foretext.training.settings import TrainingConfig

__all__ = ["check_calibration", "check_ensemble", "check_frozen", "note_shared_tokens"]

SMALL_BODY = 512  # width; wider ones have been pretrained for long, and find what texts share


def check_frozen(task: Config, training: TrainingConfig) -> None:
    """Refuse to tell a body what it is not to learn."""
    frozen = training.freeze != "none" or training.freeze_layers > 0
    if frozen and getattr(task, "shared_tokens", False):
        raise SettingError(
            "[training] freeze and freeze_layers keep embeddings as they are, and shared_tokens "
            "adds to them what is to be learned; leave one of the two out."
        )


def note_shared_tokens(job: FinetuneJob, task: Config, backbone: Backbone) -> None:
    """Say what a small body lacks that is to compare two texts in one row."""
    is_small = isinstance(backbone, Transformer) and backbone.dim < SMALL_BODY
    compares = hasattr(task, "shared_tokens") and getattr(task, "mode", None) != "siamese"
    if is_small and compares and "shared_tokens" not in task.changed:
        job.note(
            "so small a body hardly finds by itself which tokens two texts share; "
            "task.shared_tokens=true tells it, for a model that opens here alone"
        )


def check_calibration(
    job: FinetuneJob, config: FinetuningConfig, model: type[TaskModel], rows: TaskRows
) -> None:
    """Refuse, before anything is trained, what cannot be calibrated after it."""
    if not config.calibrate:
        return
    model.check_calibration(rows.train)
    if not rows.valid:
        raise CorpusError(
            f"{job.train}: too few rows to hold some out and calibrate by them; give more, or a "
            "file with --valid."
        )


def check_ensemble(job: FinetuneJob, config: FinetuningConfig, rows: TaskRows) -> None:
    """Refuse, before anything is trained, what cannot answer together with a baseline after it."""
    if not config.ensemble:
        return
    if job.task != "classification":
        raise SettingError(
            f"[finetuning] ensemble is of classification, not of {job.task}; leave it out."
        )
    if not config.baseline or config.calibrate:
        idle = "calibrate = true" if config.calibrate else "baseline = false"
        raise SettingError(
            f"[finetuning] {idle} does not go with ensemble, which answers with the baseline and "
            "fits all probabilities by held-out rows; leave one of the two out."
        )
    if not rows.valid:
        raise CorpusError(
            f"{job.train}: too few rows to hold some out and weigh network and linear model by "
            "them; give more, or a file with --valid."
        )
