"""The error of an estimator that has learned nothing, which scikit-learn knows as well."""

from __future__ import annotations

from functools import cache
from typing import Any

from foretext.base.errors import SettingError

__all__ = ["not_fitted"]

UNTAUGHT = "This classifier has learned nothing yet; call fit first, or load."


def not_fitted(sentence: str = UNTAUGHT) -> SettingError:
    """Return the error; it is also the `NotFittedError` of scikit-learn."""
    return _kind()(sentence)


@cache
def _kind() -> type[SettingError]:
    from sklearn.exceptions import NotFittedError

    class UnfittedError(SettingError, NotFittedError):  # type: ignore[misc]  # of no typed library
        """Nothing was learned yet."""

        def __reduce__(self) -> tuple[Any, ...]:
            return not_fitted, self.args

    return UnfittedError
