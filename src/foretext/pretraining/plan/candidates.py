"""The sizes that a plan chooses from, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass

from foretext.base.sizes import SIZES, Size

__all__ = ["SHAPES", "Candidate", "shape_name"]

# The published sizes, and some between: each takes two or three times the work of the one before.
SHAPES = (
    SIZES["tiny"],
    Size(3, 192, 3),
    SIZES["mini"],
    Size(4, 384, 6),
    Size(6, 384, 6),
    SIZES["small"],
    SIZES["medium"],
    SIZES["base"],
)


@dataclass(frozen=True)
class Candidate:
    """One size, and what a training of it would be."""

    name: str
    num_layers: int
    dim: int
    num_heads: int
    parameters: int
    layer_parameters: int  # embeddings apart
    memory_bytes: int
    tokens_per_second: float | None = None  # None: not measured
    tokens: int | None = None  # read in the training
    epochs: float | None = None
    expected_loss: float | None = None  # None: not measured, or not to be forecast
    note: str = ""  # why it was not measured
    chosen: bool = False


def shape_name(shape: Size) -> str:
    """Return ``mini``, or ``4×384`` for a size without a name."""
    names = {size: name for name, size in SIZES.items()}
    return names.get(shape, f"{shape.num_layers}×{shape.dim}")
