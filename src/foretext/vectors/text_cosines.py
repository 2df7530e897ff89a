"""How similar texts are: the cosines of their vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.neighbors import unit_rows

__all__ = ["paired_cosines", "text_cosines"]


def text_cosines(embed: Callable[[Any], Any], size: int, firsts: Any, seconds: Any) -> Any:
    """Return the cosines of all firsts with all seconds, (N, M), float32.

    Args:
        embed: turns N texts into vectors (N, D), one text into one (D,).
        size: D.
        firsts: N texts, or vectors (N, D); a single text or vector takes its axis away.
        seconds: M likewise.

    Raises:
        CorpusError: an element is no text.
        SettingError: vectors are not finite, or of another size.
    """
    first, second = (_vectors(embed, size, given) for given in (firsts, seconds))
    cosines = unit_rows(np.atleast_2d(first)) @ unit_rows(np.atleast_2d(second)).T
    found = cosines.reshape((*first.shape[:-1], *second.shape[:-1]))
    return float(found) if found.ndim == 0 else found


def paired_cosines(embed: Callable[[Any], Any], size: int, firsts: Any, seconds: Any) -> Any:
    """Return the cosine of each first with the second at the same index, (N,), float32.

    Args:
        embed: turns N texts into vectors (N, D), one text into one (D,).
        size: D.
        firsts: N texts, or vectors (N, D); a single text or vector gives a single number.
        seconds: as many.

    Raises:
        CorpusError: an element is no text.
        SettingError: vectors are not finite, of another size, or of another number.
    """
    first, second = (_vectors(embed, size, given) for given in (firsts, seconds))
    if first.shape != second.shape:
        raise SettingError(
            f"vectors of shapes {first.shape} and {second.shape} are no pairs; give as many "
            "second texts as first ones."
        )
    unit = (unit_rows(np.atleast_2d(each)) for each in (first, second))
    cosines = np.einsum("nd,nd->n", *unit).astype(np.float32)
    return float(cosines[0]) if first.ndim == 1 else cosines


def _vectors(embed: Callable[[Any], Any], size: int, given: Any) -> NDArray[np.float32]:
    are_numbers = isinstance(given, np.ndarray) and given.dtype.kind in "fiu"
    vectors = np.asarray(given if are_numbers else embed(given), np.float32)
    if vectors.ndim > 2 or vectors.shape[-1:] != (size,) or not np.isfinite(vectors).all():
        raise SettingError(
            f"an array of shape {vectors.shape} holds no texts and no vectors of {size} finite "
            "numbers; give texts, or what embed returns."
        )
    return vectors
