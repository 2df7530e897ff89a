"""What a network is refused before anything is trained: settings that cannot work together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import CorpusError, SettingError, suggestion
from foretext.finetuning.adapting import adapting_seconds
from foretext.finetuning.recipe import TaskRecipe, TeacherModel
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.teachers import ENSEMBLE, LEARNED, OWN, is_name
from foretext.messages import message, sentences
from foretext.tasks.task import Feature, Task
from foretext.training.settings import TrainingConfig

__all__ = [
    "RATES",
    "check_body_dropout",
    "check_dropout",
    "check_held_out",
    "check_supported",
    "check_texts",
    "check_training",
    "freezes_marks",
]


RATES = ("dropout", "feed_forward_dropout", "layer_dropout")  # of layers; attention has its own


def check_training(task: Task, head: Config, training: TrainingConfig) -> None:
    """Refuse settings of pretraining alone, and to freeze what the task has to learn.

    Raises:
        SettingError: with the setting.
    """
    if training.short_row_rate or training.stacking_rate:
        raise SettingError(message("options.finetune.of_pretraining"))
    if training.freeze == "backbone" and not task.has_head:
        raise SettingError(
            f"[training] freeze = 'backbone' leaves nothing to learn: {task.title.lower()} are "
            "made by the backbone alone; leave it out."
        )
    if freezes_marks(training) and task.head_traits(head).learns_embeddings:
        raise SettingError(
            "[training] freeze and freeze_layers keep embeddings as they are, and marks of tokens "
            "(task.shared_tokens, task.word_boundaries) are embeddings that have to be learned; "
            "leave one of the two out."
        )


def check_supported(
    task: Task, feature: Feature, head: Config | None = None, rows: Sequence[Any] = ()
) -> None:
    """Refuse a feature of fine-tuning that is not for a task.

    Args:
        task: that is learned.
        feature: see `Task.why_not`.
        head: the section `[task]`, where it decides.
        rows: to learn from, where they decide.

    Raises:
        SettingError: the task says why.
    """
    if (why := task.why_not(feature, head, rows)) is not None:
        raise SettingError(why)


def check_body_dropout(config: FinetuningConfig, sections: Mapping[str, Any]) -> None:
    """Refuse two settings for the dropout of one base.

    Raises:
        SettingError: [backbone] and [finetuning] both say it.
    """
    named = [name for name in sections.get("backbone", {}) if name in RATES]
    if config.body_dropout is not None and named:
        raise SettingError(
            f"[backbone] {named[0]} and [finetuning] body_dropout both say the dropout of the "
            "base; leave one of them out."
        )


def check_dropout(task: Task, rows: Sequence[Any], backbone: Backbone, rate: float | None) -> None:
    """Refuse a backbone without dropout where a task needs it.

    Args:
        task: that is learned.
        rows: to learn from.
        backbone: of the base.
        rate: of all of the base; None: what its settings say.

    Raises:
        SettingError: it has none.
    """
    if not task.needs_dropout(rows):
        return
    found = [each.p for each in backbone.modules() if isinstance(each, nn.Dropout)]
    rates = found if rate is None else [rate] * len(found)
    if any(rates):
        return
    name = type(backbone).__name__
    if not found:
        raise SettingError(
            f"Rows of texts alone are read twice under different dropout, and {name} has none; "
            "give pairs of texts, or take a Transformer as the base."
        )
    raise SettingError(
        f"Rows of texts alone are read twice under different dropout, and that of {name} is 0; "
        "set finetuning.body_dropout = 0.1."
    )


def check_texts(recipe: TaskRecipe, config: FinetuningConfig, task: Task, head: Config) -> None:
    """Refuse a teacher, texts without labels, and settings about them, that have no effect.

    Raises:
        SettingError: with what to change.
    """
    if recipe.teacher is not None:
        check_supported(task, "teacher", head)
        _check_teacher(recipe.teacher)
    elif idle := sorted(name for name in config.changed if name.startswith("teacher_")):
        raise SettingError(message("options.finetune.without_teacher", name=idle[0]))
    _check_consistency(recipe, config, task, head)
    if config.adapt is not None:
        adapting_seconds(config.adapt, recipe.budget_seconds)
        if config.fresh:
            raise SettingError(
                "[finetuning] adapt and fresh: one continues a pretraining, and the other leaves "
                "it out; give one of the two."
            )
    elif recipe.unlabelled is not None and recipe.teacher is None and config.consistency is None:
        raise SettingError(message("options.finetune.unlabelled_alone"))


def _check_consistency(
    recipe: TaskRecipe, config: FinetuningConfig, task: Task, head: Config
) -> None:
    """Refuse to learn from own answers where there are none, or where a teacher gives them."""
    if config.consistency is None:
        if idle := sorted(name for name in config.changed if name.startswith("consistency_")):
            raise SettingError(
                f"[finetuning] {idle[0]} has no effect while consistency_weight is 0; set it to 1."
            )
        return
    check_supported(task, "consistency", head)
    if recipe.unlabelled is None:
        raise SettingError(message("options.finetune.consistency"))
    if recipe.teacher is not None:
        raise SettingError(
            "[finetuning] consistency_weight and --teacher: texts without labels are answered by "
            "the network itself, or by a teacher; leave one of the two out."
        )


def _check_teacher(given: TeacherModel) -> None:
    """Refuse a path that there is not, before rows are read."""
    if isinstance(given, str | Path) and not is_name(given) and not Path(given).exists():
        names = [*LEARNED, *OWN]
        there_are = message("errors.names_are", names=", ".join(names))
        hint = suggestion(str(given), names) or there_are
        raise SettingError(sentences([message("errors.base.no_teacher", given=given), hint]))


def freezes_marks(training: TrainingConfig) -> bool:
    """Whether the embeddings that mark tokens are frozen; freeze = 'vectors' lets them learn."""
    return training.freeze in ("embeddings", "backbone") or training.freeze_layers > 0


def check_held_out(
    config: FinetuningConfig,
    rows: TaskRows,
    recipe: TaskRecipe,
    task: Task,
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
        check_supported(task, "calibrate", rows=rows.train)
        uses.append("calibrate by them")
    if config.ensemble:
        if config.calibrate or not has_baseline:
            idle = "calibrate = true" if config.calibrate else "baseline = false"
            raise SettingError(
                f"[finetuning] {idle} does not go with ensemble, which answers with the baseline "
                "and fits all probabilities by held-out rows; leave one of the two out."
            )
        uses.append("weigh network and linear model by them")
    if recipe.teacher == ENSEMBLE:
        uses.append("weigh network and linear model by them")
    if recipe.search_seconds is not None:
        uses.append("judge settings by them")
    if uses and not rows.valid:
        raise CorpusError(
            f"{recipe.train}: too few rows to hold some out and {uses[0]}; give more, or a file "
            "with --valid."
        )
