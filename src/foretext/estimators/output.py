"""What a transformer returns: arrays, or tables of pandas and polars, by `set_output`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Literal, Self, TypeVar, cast

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError

__all__ = ["ChosenOutput", "in_container"]

Method = TypeVar("Method", bound=Callable[..., Any])


class ChosenOutput:
    """The part of a transformer that says what `transform` returns, as scikit-learn asks for it."""

    _sklearn_auto_wrap_output_keys: ClassVar[frozenset[str]] = frozenset({"transform"})
    _sklearn_output_config: dict[str, str]

    @checked_arguments
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Choose what `transform` and `fit_transform` return.

        Args:
            transform: "default" is an array; None: as it was.

        Raises:
            SettingError: there is no such choice.
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise SettingError(
                f"transform = {transform!r:.60}: there are 'default', 'pandas' and 'polars'."
            )
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self


def in_container(transform: Method) -> Method:
    """Let a method that returns an array (N, D) return what was chosen by `set_output`."""

    @wraps(transform)
    def wrapping(self: Any, given: Any, *args: Any, **options: Any) -> Any:
        found = transform(self, given, *args, **options)
        if "sklearn" not in sys.modules and "_sklearn_output_config" not in vars(self):
            return found  # nobody can have chosen anything
        from sklearn.utils._set_output import _wrap_data_with_container

        return _wrap_data_with_container("transform", found, given, self)

    return cast(Method, wrapping)
