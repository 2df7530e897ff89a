"""Settings as attributes, under the names and rules of scikit-learn.

A constructor has every setting as an explicit argument and keeps it under its name, so that editors
complete it, `inspect.signature` shows it, and `sklearn.base.clone`, pipelines and searches work.
scikit-learn itself is imported only where it asks.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Self, TypeVar, cast

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.representation import Represented
from foretext.recipe import Recipe

__all__ = ["Parameters", "kept"]

Init = TypeVar("Init", bound=Callable[..., None])


class Parameters(Represented):
    """An estimator whose settings are arguments of its constructor."""

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """The settings, section by section, all of them checked.

        Raises:
            SettingError: a setting is not allowed, or has no effect.
        """

    @property
    @abstractmethod
    def is_fitted(self) -> bool:
        """Whether `fit` has learned something."""

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return every setting of the constructor with its default."""
        arguments = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {argument.name: argument.default for argument in arguments}

    @classmethod
    @checked_arguments
    def refuse_unknown(cls, names: Iterable[str]) -> None:
        """Refuse names that are no settings.

        Raises:
            SettingError: one is none; the message says which one may be meant.
        """
        known = cls.defaults()
        for name in names:
            if name not in known:
                raise SettingError(
                    f"{name}: {cls.__name__} has no such setting.{did_you_mean(name, known)}"
                )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return every setting by name; `deep` has no effect, since none is an estimator."""
        return {name: getattr(self, name) for name in self.defaults()}

    def set_params(self, **params: Any) -> Self:
        """Change settings; what was learned stays until the next fit.

        Raises:
            SettingError: there is no such setting, or a value is not allowed; nothing has changed.
        """
        self.refuse_unknown([*params])
        before = self.get_params()
        vars(self).update(params)
        try:
            _ = self.recipe
        except SettingError:
            vars(self).update(before)
            raise
        return self

    def chosen(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults."""
        given = {name: _plain(value) for name, value in self.get_params().items()}
        defaults = self.defaults()
        return {name: value for name, value in given.items() if value != defaults[name]}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the estimator."""
        return {**self.chosen(), "fitted": self.is_fitted}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.chosen().items())
        return f"{type(self).__name__}({shown})"

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(**self._input_tags()),
            non_deterministic=True,  # several threads
        )

    def _input_tags(self) -> dict[str, bool]:
        return {}


def _plain(value: Any) -> Any:
    """Return a number of numpy, as searches for settings give it, as Python's own."""
    convert = getattr(value, "tolist", None)  # foreign
    return value if convert is None else convert()


def kept(init: Init) -> Init:
    """Let a constructor keep each argument under its name, check them all, and do nothing else."""
    signature = inspect.signature(init)

    @wraps(init)
    def keeping(self: Parameters, *args: Any, **settings: Any) -> None:
        self.refuse_unknown([*settings])
        given = signature.bind(self, *args, **settings)
        given.apply_defaults()
        vars(self).update(list(given.arguments.items())[1:])
        _ = self.recipe

    return cast(Init, keeping)
