"""What estimators of tasks share: a base and settings in, the road of `foretext.finetune`, a model.

Everything that `finetune` learns on is a base here, too: the name of a network to learn from
scratch, a run, a model folder, a vector file, or one of these opened. PyTorch is loaded by `fit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from foretext.artifact import load
from foretext.base.arguments import checked_arguments, shown_value
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters
from foretext.finetuning.bases import learner_class
from foretext.finetuning.finetune import finetune
from foretext.tasks.predictor import Predictor

__all__ = ["TaskEstimator"]


class TaskEstimator(Parameters):
    """A base and the settings of its training; `fit` trains a copy of the base.

    Attributes:
        task_name: what is learned.
    """

    task_name: ClassVar[str]
    base: Any
    budget: str | float | None
    epochs: float | None
    learning_rate: float | None
    seed: int | None
    settings: Mapping[str, Mapping[str, Any]] | None
    output: str | Path | None
    overwrite: bool
    quiet: bool | None
    _model: Any = None

    @property
    def is_fitted(self) -> bool:
        """Whether there is a model."""
        return self._model is not None

    @property
    def model_(self) -> Any:
        """The model that was learned last, as `foretext.finetune` returns it.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._model is None:
            raise not_fitted("This estimator has learned nothing yet; call fit first, or load.")
        return self._model

    def learn(self, rows: Any, **more: Any) -> Self:
        """Fine-tune the base on rows, and keep the run in `output` where one is chosen.

        Args:
            rows: as `foretext.finetune` takes them from memory.
            more: its other arguments; None is left out.

        Raises:
            ForetextError: rows, base or settings do not go together; the message says why.
        """
        given: dict[str, Any] = {name: value for name, value in more.items() if value is not None}
        self._model = finetune(
            self.task_name, self.base, rows, out=self.output, settings=self._sections(),
            budget=self.budget, overwrite=self.overwrite, quiet=self.quiet, **given,
        )  # fmt: skip
        return self

    def _sections(self) -> dict[str, dict[str, Any]]:
        """Return the settings by section, with those that have an argument of their own.

        Raises:
            SettingError: what learns on the base has no such setting.
        """
        sections = {name: dict(section) for name, section in (self.settings or {}).items()}
        chosen = self.chosen()
        own = [name for name in ("epochs", "learning_rate", "seed") if name in chosen]
        if not own:
            return sections
        learner = learner_class(self.base, self.task_name)
        usual = learner.usual_of_tasks.get(self.task_name, learner.usual)
        for name in own:
            if name not in usual:
                raise SettingError(
                    f"{name} has no effect on base = {shown_value(self.base)}; leave it out."
                )
            section, setting = usual[name]
            sections.setdefault(section, {})[setting] = chosen[name]
        return sections

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write a folder that `load`, `foretext.load` and the command line open.

        Raises:
            OutputError: it cannot be written.
            SettingError: nothing was learned yet.
        """
        self.model_.save(folder)

    @classmethod
    @checked_arguments
    def load(cls, folder: str | Path) -> Self:
        """Open a folder of `save` or a run; it is the base, so that `fit` continues from it.

        Raises:
            ModelFileError: it holds a model of another task.
            ForetextError: there is no model, or a damaged one.
        """
        model: Any = load(folder, Predictor)  # type: ignore[type-abstract]
        if model.task.name != cls.task_name:
            raise ModelFileError(
                f"{folder} holds a model of the task '{model.task.name}', and {cls.__name__} opens "
                f"'{cls.task_name}'; use foretext.load."
            )
        estimator = cls(str(folder))  # type: ignore[call-arg]
        estimator._model = model
        return estimator
