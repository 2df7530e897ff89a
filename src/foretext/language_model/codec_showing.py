"""An example of an autoencoder, its code, and what the code becomes, as parts to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.messages import MessageTable
from foretext.shown import Grid, Note, Part, Table
from foretext.vectors.insight import rounded

if TYPE_CHECKING:
    from foretext.language_model.codec import Codec

__all__ = ["example_parts"]

_said = MessageTable("insight.codes")
MOST_SHOWN = 64  # rows and columns of a grid
DIGITS = 6

Array = NDArray[Any]


def example_parts(codec: Codec, example: Array, code: Array, back: Array) -> list[Part]:
    """Return one example, (*shape), its code (K,), and its reconstruction, (*shape)."""
    error = float(np.square(back.astype(np.float64) - example).mean())
    figures = {"size": example.size, "code": code.size, "error": error}
    parts: list[Part] = [Note(_said("note", **figures))]
    if (others := codec.components_error(example[None])) is not None:
        parts.append(Note(_said("components", code=code.size, error=others)))
    codes = [(number, round(float(value), DIGITS)) for number, value in enumerate(code, 1)]
    columns = _said.columns("number", "value")
    parts.append(Table.of(_said("code"), columns, codes[:MOST_SHOWN]))
    for title, values in (("given", example), ("back", back), ("difference", back - example)):
        plane = _plane(values)[:MOST_SHOWN, :MOST_SHOWN]
        rows, across = range(1, plane.shape[0] + 1), range(1, plane.shape[1] + 1)
        parts.append(Grid.of(_said(title), rows, across, rounded(plane)))
    return parts


def _plane(values: Array) -> Array:
    """Return any shape as rows and columns; numbers in a row become a square, as pixels are."""
    if values.ndim >= 2:
        return values.reshape(-1, values.shape[-1])
    side = round(values.size**0.5)
    return values.reshape(side, side) if side * side == values.size else values[None]
