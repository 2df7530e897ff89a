"""Trainings that begin with short rows and few layers.

What a network learns first, which words are frequent and which stand near each other, it learns
from short rows as well (Press et al. 2021, "Shortformer", section 3: staged training), and with few
layers (Gong et al. 2019, "Efficient Training of BERT by Progressively Stacking"). Both take less
time a token.
"""

from __future__ import annotations

from foretext.base.errors import SettingError
from foretext.training.batches import Part
from foretext.training.model import Model
from foretext.training.optimizer import Optimizer
from foretext.training.schedule import Schedule
from foretext.training.settings import TrainingConfig
from foretext.training.state import TrainingState

__all__ = ["Progression", "check_progression"]

SHORT_PARTS = 4  # of a row


class Progression:
    """Says what a step computes of its rows, and by which layers; it adds the layers that come.

    Args:
        model: that learns.
        config: the user's settings.
        schedule: of the training.
        optimizer: of the model.

    Raises:
        SettingError: rows cannot be cut, or layers cannot be left out.
    """

    def __init__(
        self, model: Model, config: TrainingConfig, schedule: Schedule, optimizer: Optimizer
    ) -> None:
        check_progression(model, config)
        self.backbone, self.config = model.backbone, config
        self.schedule, self.optimizer = schedule, optimizer

    def rows(self, part: Part, state: TrainingState) -> Part:
        """Return the part of the step that comes, whose rows are cut at first."""
        is_short = self._share(state) < self.config.short_row_rate
        return part._replace(num_parts=SHORT_PARTS) if is_short else part

    def use_layers(self, state: TrainingState) -> None:
        """Let the step that comes compute half of the layers at first, and all of them later."""
        if self.config.stacking_rate:
            is_shallow = self._share(state) < self.config.stacking_rate
            depth = self.backbone.num_layers
            self._use(-(-depth // 2) if is_shallow else depth, state)

    def end(self, state: TrainingState) -> None:
        """Use all layers, though the training was over before they were added."""
        if self.config.stacking_rate:
            self._use(self.backbone.num_layers, state)

    def _use(self, num: int, state: TrainingState) -> None:
        if 0 < state.num_layers < num:
            self.optimizer.stack(state.num_layers)
            state.best, state.stale = None, 0  # the best weights so far lack layers
        self.backbone.use_layers(num)
        state.num_layers = num

    def _share(self, state: TrainingState) -> float:
        """Share of the training that is done."""
        return self.schedule.done(state.step, state.seconds) / self.schedule.total


def check_progression(model: Model, config: TrainingConfig) -> None:
    """Refuse to cut rows that have to be whole, or to leave out layers that cannot be.

    Raises:
        SettingError: with the setting.
    """
    if config.short_row_rate and not model.objective.cuts_rows:
        raise SettingError(
            f"[training] short_row_rate: the rows of {type(model.objective).__name__} cannot be "
            "cut; leave it out."
        )
    if config.stacking_rate and not model.backbone.stacks_layers:
        raise SettingError(
            f"[training] stacking_rate: {type(model.backbone).__name__} cannot leave out some of "
            "its layers; leave it out."
        )
