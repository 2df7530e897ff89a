"""One training of a task: what all trainings of a run have in common, and what one gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from foretext.backbones.transformer import Transformer
from foretext.errors import CorpusError
from foretext.finetuning.rows import TaskRows
from foretext.finetuning.settings import FinetuningConfig, training_config
from foretext.finetuning.start import Beginning
from foretext.finetuning.validation import TaskValidation
from foretext.progress.run_context import RunContext
from foretext.task_models.base import TaskModel
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["Setting", "Trained", "train_once"]

TRANSFORMER_DROPOUT = 0.1

Sections = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Setting:
    """All that trainings of one run have in common."""

    model: type[TaskModel]
    rows: TaskRows
    begun: Beginning
    finetuning: FinetuningConfig
    sections: Sections  # of the user
    search: Mapping[str, Any] | None = None  # how many settings were tried, and the best score

    def training(self, seed: int, **changes: Any) -> TrainingConfig:
        """Return how the training with a seed goes on."""
        given = {**self.sections.get("training", {}), **changes}
        validated = bool(self.rows.valid)
        task = self.sections.get("task", {})
        has_chain = bool(task.get("crf") or task.get("lstm_dim"))
        return training_config(
            given,
            self.begun,
            num_rows=len(self.rows.train),
            is_validated=validated,
            has_chain=has_chain,
            seed=seed,
        )


@dataclass(frozen=True)
class Trained:
    """One training's model and figures."""

    model: TaskModel
    training: TrainingConfig
    record: Mapping[str, Any]  # the last one of metrics.jsonl
    valid: Mapping[str, Any] | None

    @property
    def score(self) -> float:
        """By which it is chosen among others; higher is better."""
        return 0.0 if self.valid is None else float(self.valid[self.model.judged_by])


def train_once(
    setting: Setting, config: TrainingConfig, task: Mapping[str, Any], context: RunContext
) -> tuple[TaskModel, dict[str, Any]]:
    """Train one model by these settings; return it and the last record."""
    body = setting.begun.body(config.seed)
    _set_dropout(body.backbone, setting)
    task_config = setting.model.task_config().checked(dict(task), "task")
    torch.manual_seed(config.seed)
    model = setting.model.begin(body, task_config, setting.rows.train)
    known = [row for row in setting.rows.valid if model.knows(row)]
    if setting.rows.valid and not known:
        raise CorpusError(
            f"None of the {len(setting.rows.valid):,} held-out rows has an answer that the rows to "
            "learn from show; give rows of the same kind."
        )
    validation = TaskValidation(model, known, config.batch_examples) if known else None
    examples = model.examples(setting.rows.train)
    history = fit(Model(body.backbone, model.task), examples, config, context, validation)
    return model, history[-1]


def _set_dropout(backbone: nn.Module, setting: Setting) -> None:
    """Training from labels wants dropout, which pretraining goes without."""
    rate = setting.finetuning.body_dropout
    if rate is None:
        if not isinstance(backbone, Transformer):
            return
        rate = TRANSFORMER_DROPOUT
    for module in backbone.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
