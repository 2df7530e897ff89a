"""Arrays that an estimator is given, refused by the sentences that scikit-learn checks for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.errors import ArgumentError, SettingError

__all__ = ["checked_examples"]


def checked_examples(given: Any, owner: str = "", num_features: int | None = None) -> Any:
    """Return an array of examples (N, ...) as numbers; names of files as they are.

    Args:
        given: the array, or what can be one.
        owner: the class of the estimator.
        num_features: of a row, where that is known; None: as they are.

    Raises:
        SettingError: the array is sparse or complex, has one axis, or rows of another length.
        ArgumentError: something in it is no number.
    """
    if _are_names(given):
        return given
    if hasattr(given, "toarray"):  # foreign
        raise SettingError("Sparse data is not supported here; give the array X.toarray().")
    array = _numbers(given)
    if array.dtype.kind == "c":
        raise SettingError(
            f"Complex data not supported: the array is of type {array.dtype}; give real numbers."
        )
    if array.ndim == 1:
        raise SettingError(
            f"An array of shape {array.shape} is a single row or column. Reshape your data: give "
            "one example a row, (N, number of features)."
        )
    if array.ndim == 2:
        _check_columns(array, owner, num_features)
    return array


def _check_columns(array: Any, owner: str, num_features: int | None) -> None:
    rows, found = array.shape
    if found == 0:
        raise SettingError(
            f"There is an array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is "
            "required; give examples with numbers."
        )
    if rows == 0:
        raise SettingError(f"There is no example in an array of shape {array.shape}; give one.")
    if num_features is not None and found != num_features:
        raise SettingError(
            f"X has {found} features, but {owner} is expecting {num_features} features as input; "
            "give the columns that it learned."
        )


def _are_names(given: Any) -> bool:
    """Whether something names files of images."""
    if isinstance(given, str | Path):
        return True
    is_list = isinstance(given, list | tuple)
    return is_list and bool(given) and all(isinstance(each, str | Path) for each in given)


def _numbers(given: Any) -> Any:
    becomes_array = hasattr(given, "__array__") or isinstance(given, Iterable)  # foreign
    try:
        array = np.asarray(given if becomes_array else None)
        return array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"The array does not hold numbers alone: {error}.") from None
