"""Words and vectors that a user gives, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError

__all__ = ["as_vector", "given_words"]


def given_words(given: Any) -> list[str]:
    """Return words as a list.

    Raises:
        SettingError: something is no word.
    """
    try:
        words = [given] if isinstance(given, str) else list(given)
    except TypeError:
        words = [given]
    for word in words:
        if not isinstance(word, str):
            raise SettingError(
                f"{repr(word)[:60]} of type {type(word).__name__} is no word; give words as texts."
            )
    return words


def as_vector(given: Any) -> NDArray[np.float32]:
    """Return numbers as a vector.

    Raises:
        SettingError: they are no numbers, or not finite.
    """
    try:
        vector = np.asarray(given, np.float32)
    except (TypeError, ValueError, OverflowError):
        vector = np.empty(0, np.float32)
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        raise SettingError(
            f"{repr(given)[:60]} of type {type(given).__name__} is neither a word nor a vector of "
            "finite numbers; give one of these, or a list of them."
        )
    return vector
