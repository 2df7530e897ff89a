"""The settings of a smaller network of the same form, for distillation."""

from __future__ import annotations

from typing import Protocol, TypeVar, cast

from foretext.base.config import Config
from foretext.base.errors import SettingError

__all__ = ["LayerShape", "shrunk"]

LANES = 32  # further widths are multiples of it, for the sake of matrix products
FURTHER = {"embedding_dim", "feed_forward_dim"}  # widths that may be chosen beside that of states


class LayerShape(Protocol):
    """What settings say of layers of attention and feed-forward."""

    num_layers: int
    dim: int
    num_heads: int
    init_std: float


C = TypeVar("C", bound=Config)


def shrunk(config: C, num_layers: int, dim: int | None) -> C:
    """Return the settings of a network of fewer layers, and of another width.

    Args:
        config: that of the larger network, with the settings of a `LayerShape`.
        num_layers: of the smaller one.
        dim: width of its states; None: as wide.

    Raises:
        SettingError: it would not be smaller, or no number of heads divides the width.
    """
    shape = cast(LayerShape, config)
    if not 0 < num_layers <= shape.num_layers or (dim or 1) > shape.dim:
        raise SettingError(
            f"--layers {num_layers}: the teacher has {shape.num_layers} layers of width "
            f"{shape.dim}; give fewer, or a smaller --width."
        )
    if dim is None or dim == shape.dim:
        return config.model_copy(update={"num_layers": num_layers})
    num_heads = max(round(dim * shape.num_heads / shape.dim), 1)
    if dim % (2 * num_heads):
        raise SettingError(
            f"--width {dim} cannot be divided among {num_heads} heads of an even width; give a "
            f"multiple of {2 * num_heads}."
        )
    changed = {
        "num_layers": num_layers,
        "dim": dim,
        "num_heads": num_heads,
        "init_std": shape.init_std * (shape.dim / dim) ** 0.5,
    }
    return config.model_copy(update={**changed, **_further_widths(config, dim / shape.dim)})


def _further_widths(config: Config, rate: float) -> dict[str, int]:
    """Return the widths that were chosen beside that of the states, scaled."""
    widths = config.model_dump(include=FURTHER, exclude_none=True)  # of those that it has
    return {name: max(round(rate * width) // LANES, 1) * LANES for name, width in widths.items()}
