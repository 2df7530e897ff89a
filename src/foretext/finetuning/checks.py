"""What a network is refused before anything is trained: settings that cannot work together."""

from __future__ import annotations

from foretext.config import Config
from foretext.errors import CorpusError, SettingError
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows
from foretext.task_models.base import TaskModel
from foretext.training.settings import TrainingConfig

__all__ = ["check_frozen", "check_held_out", "freezes_embeddings"]


def check_frozen(model: type[TaskModel], task: Config, training: TrainingConfig) -> None:
    """Refuse to freeze embeddings that the task has to learn.

    Raises:
        SettingError: they are frozen.
    """
    if freezes_embeddings(training) and model.learns_embeddings(task):
        raise SettingError(
            "[training] freeze and freeze_layers keep embeddings as they are, and shared_tokens "
            "adds embeddings that have to be learned; leave one of the two out."
        )


def freezes_embeddings(training: TrainingConfig) -> bool:
    """Whether the embeddings of a base stay as they are."""
    return training.freeze != "none" or training.freeze_layers > 0


def check_held_out(
    config: FinetuningConfig,
    rows: TaskRows,
    recipe: TaskRecipe,
    model: type[TaskModel],
    *,
    has_baseline: bool,
) -> None:
    """Refuse what is fitted or judged by held-out rows where that is impossible.

    Raises:
        CorpusError: there are no such rows.
        SettingError: the task has no such probabilities, or settings exclude each other.
    """
    uses = []
    if config.calibrate:
        model.check_calibration(rows.train)
        uses.append("calibrate by them")
    if config.ensemble:
        model.check_ensemble()
        if config.calibrate or not has_baseline:
            idle = "calibrate = true" if config.calibrate else "baseline = false"
            raise SettingError(
                f"[finetuning] {idle} does not go with ensemble, which answers with the baseline "
                "and fits all probabilities by held-out rows; leave one of the two out."
            )
        uses.append("weigh network and linear model by them")
    if recipe.search_seconds is not None:
        uses.append("judge settings by them")
    if uses and not rows.valid:
        raise CorpusError(
            f"{recipe.train}: too few rows to hold some out and {uses[0]}; give more, or a file "
            "with --valid."
        )
