"""What linear models of texts and of pairs share: settings, what was learned, its folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import ModelFileError
from foretext.base.files import atomic_folder
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters
from foretext.base.replacement import refuse_unfinished
from foretext.tasks.classification.labeller import write_config
from foretext.tasks.predictor import Predictor

__all__ = ["LinearEstimator"]


class LinearEstimator(Parameters, Predictor):
    """Settings in the constructor, and what `fit` learned as one value, the parts.

    Attributes:
        settings: the class of the settings.
        section: of a recipe, which messages about a setting name.
        untaught: says that nothing was learned yet.
    """

    settings: ClassVar[type[Config]]
    section: ClassVar[str]
    untaught: ClassVar[str] = "This classifier has learned nothing yet; call fit first, or load."
    _learned: Any = None

    @classmethod
    def of_parts(cls, parts: Any) -> Self:
        """Return the model that has learned these."""
        model = cls(**parts.config.model_dump())
        model._learned = parts
        return model

    @property
    def parts(self) -> Any:
        """What was learned.

        Raises:
            SettingError: nothing yet.
        """
        if self._learned is None:
            raise not_fitted(self.untaught)
        return self._learned

    @property
    def is_fitted(self) -> bool:
        """Whether `fit` has learned something."""
        return self._learned is not None

    @property
    def given(self) -> Any:
        """The settings of the constructor, checked.

        Raises:
            SettingError: a value is not allowed.
        """
        return self.checked(self.chosen())

    def checked(self, chosen: Mapping[str, Any]) -> Any:
        """Return settings that differ from their defaults with the others, checked.

        Raises:
            SettingError: a value is not allowed.
        """
        values = {**self.defaults(), **chosen}
        own = {name: values[name] for name in self.settings.model_fields}
        return self.settings.checked(own, self.section)

    @property
    def config(self) -> Any:
        """The settings; after `fit`, with what was chosen for the texts.

        Raises:
            SettingError: a value is not allowed.
        """
        return self.given if self._learned is None else self._learned.config

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show: settings, and what was learned."""
        return {**(Predictor.summary(self) if self.is_fitted else {}), **self.chosen()}

    def __repr__(self) -> str:
        return Predictor.__repr__(self) if self.is_fitted else Parameters.__repr__(self)

    @abstractmethod
    def write_parts(self, folder: Path) -> None:
        """Write what was learned into a folder.

        Raises:
            OutputError: it cannot be written.
        """

    @staticmethod
    @abstractmethod
    def read_parts(folder: Path) -> Any:
        """Read what `write_parts` wrote.

        Raises:
            ModelFileError: a file is missing, or damaged.
        """

    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write what was learned, and ``config.json``.

        Args:
            folder: where to.
            facts: what else ``config.json`` holds.

        Raises:
            OutputError: one cannot be written.
        """
        self.write_parts(folder)
        write_config(folder, self, facts)

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` opens, whole or not at all.

        Raises:
            OutputError: it cannot be written.
            SettingError: nothing was learned yet.
        """
        with atomic_folder(Path(folder)) as temporary:
            self.write(temporary, {})

    @classmethod
    @checked_arguments
    def load(cls, folder: str | Path) -> Self:
        """Open what `save`, or a run, left.

        Raises:
            ModelFileError: there is no such model, or a damaged one.
        """
        refuse_unfinished(Path(folder), ModelFileError)
        return cls.of_parts(cls.read_parts(Path(folder)))
