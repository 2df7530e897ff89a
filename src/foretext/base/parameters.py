"""Settings that are arguments of a constructor, under the names and rules of scikit-learn.

A constructor has every setting as an explicit argument and keeps it under its name, so that editors
complete it, `inspect.signature` shows it, and `sklearn.base.clone`, pipelines and searches work. It
checks no value: `fit` does. scikit-learn itself is imported only where it asks.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Literal, Self, TypeVar, cast

from foretext.base.arguments import checked_arguments
from foretext.base.errors import ArgumentError, did_you_mean
from foretext.base.representation import represented

__all__ = ["EstimatorType", "Parameters", "estimator_tags", "keeping"]

Init = TypeVar("Init", bound=Callable[..., None])
EstimatorType = Literal["classifier", "regressor", "transformer"]


@represented
class Parameters(ABC):
    """An estimator whose settings are arguments of its constructor."""

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
                raise ArgumentError(
                    f"{name}: {cls.__name__} has no such setting.{did_you_mean(name, known)}"
                )

    @checked_arguments
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return every setting by name, as it was given; scikit-learn copies estimators by them.

        Args:
            deep: has no effect, since no setting is an estimator.
        """
        return {name: vars(self)[name] for name in self.defaults()}

    def set_params(self, **params: Any) -> Self:
        """Change settings, which the next `fit` checks; what was learned stays until then.

        Raises:
            SettingError: there is no such setting; nothing has changed.
        """
        self.refuse_unknown([*params])
        vars(self).update(params)
        return self

    def chosen(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults."""
        defaults = self.defaults()
        given = {name: _plain(value) for name, value in self.get_params().items()}
        return {name: value for name, value in given.items() if not _is_same(value, defaults[name])}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the estimator."""
        return {**self.chosen(), "fitted": self.is_fitted}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.chosen().items())
        return f"{type(self).__name__}({shown})"

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted


def keeping(init: Init) -> Init:
    """Let a constructor keep each argument under its name, and do nothing else.

    A setting that there is not is refused with the one that may be meant.
    """
    signature = inspect.signature(init)

    @wraps(init)
    def constructing(self: Parameters, *args: Any, **settings: Any) -> None:
        self.refuse_unknown([*settings])
        given = signature.bind(self, *args, **settings)
        given.apply_defaults()
        vars(self).update(list(given.arguments.items())[1:])

    return cast(Init, constructing)


def estimator_tags(
    estimator_type: EstimatorType | None, *, of_texts: bool = True, is_deterministic: bool = True
) -> Any:
    """Return what scikit-learn asks of an estimator before it splits data for it.

    Args:
        estimator_type: what it is; None: none of these, such as what answers with a list of tags,
            whose folds no target may stratify.
        of_texts: whether it takes a column of texts; else a table of numbers.
        is_deterministic: whether `fit` learns the same again.
    """
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags
    from sklearn.utils import TransformerTags as Transforming

    inputs = InputTags(string=of_texts, one_d_array=of_texts, two_d_array=not of_texts)
    return Tags(
        estimator_type=estimator_type,
        target_tags=TargetTags(required=estimator_type != "transformer"),
        classifier_tags=ClassifierTags() if estimator_type == "classifier" else None,
        regressor_tags=RegressorTags() if estimator_type == "regressor" else None,
        transformer_tags=Transforming(preserves_dtype=[])
        if estimator_type == "transformer"
        else None,
        input_tags=inputs,
        non_deterministic=not is_deterministic,
    )


def _plain(value: Any) -> Any:
    """Return a number of numpy, as searches for settings give it, as Python's own."""
    convert = getattr(value, "tolist", None)  # foreign
    return convert() if callable(convert) else value


def _is_same(value: Any, default: Any) -> bool:
    """Whether a setting has its default; a table, which compares cell by cell, is none."""
    try:
        return bool(value == default)
    except ValueError:
        return False
