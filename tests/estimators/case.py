"""An estimator with data, and what checks on texts compare and refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """An estimator with data that it learns in no time."""

    name: str
    make: Callable[[], Any]
    X: list[Any]
    y: list[Any] | None
    answers: tuple[str, ...]
    takes_weights: bool = False
    bad: Sequence[Any] = (None, float("nan"), 3)  # no element of X
    exempt: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def fit(self, estimator: Any = None, X: Any = None, y: Any = None, **more: Any) -> Any:  # noqa: N803
        """Return an estimator that has learned."""
        made = self.make() if estimator is None else estimator
        return made.fit(self.X if X is None else X, self.y if y is None else y, **more)

    def answered(self, estimator: Any, X: Any = None) -> dict[str, Any]:  # noqa: N803
        """Return what each method answers, as numpy or lists."""
        given = self.X if X is None else X
        return {name: held(getattr(estimator, name)(given)) for name in self.answers}

    @property
    def classifies(self) -> bool:
        return "predict_proba" in self.answers


def held(found: Any) -> Any:
    return found if isinstance(found, np.ndarray) else list(found)


def assert_same(left: dict[str, Any], right: dict[str, Any], atol: float = 1e-6) -> None:
    assert left.keys() == right.keys()
    for name, found in left.items():
        other = right[name]
        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
            np.testing.assert_allclose(found, other, atol=atol, rtol=1e-4, err_msg=name)
        elif isinstance(found, np.ndarray):
            assert found.tolist() == other.tolist(), name
        else:
            for each, its in zip(found, other, strict=True):
                np.testing.assert_array_equal(each, its, err_msg=name)


class NotAnArray:
    """What can become an array, and is none."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"{func.__name__} is not for this")


def objects(values: Sequence[Any]) -> Any:
    """Return an array (N,) of objects, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def refused(learn: Callable[[], Any]) -> bool:
    """Whether something is refused with a sentence."""
    try:
        learn()
    except (ValueError, TypeError) as error:
        return bool(str(error))
    return False
