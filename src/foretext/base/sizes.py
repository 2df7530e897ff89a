"""The published sizes of BERT (Turc et al. 2019, Devlin et al. 2019), which serve GPT as well."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["SIZES", "Size", "size_of", "split_size"]


class Size(NamedTuple):
    """Settings of the section `[backbone]`."""

    num_layers: int
    dim: int
    num_heads: int


SIZES = {
    "tiny": Size(2, 128, 2),
    "mini": Size(4, 256, 4),
    "small": Size(4, 512, 8),
    "medium": Size(8, 512, 8),
    "base": Size(12, 768, 12),
    "large": Size(24, 1024, 16),
}


def size_of(config: Any) -> Size | None:
    """Return the size that settings of a backbone say; None: they have no such fields."""
    if not set(Size._fields) <= set(type(config).model_fields):
        return None
    return Size(*(getattr(config, name) for name in Size._fields))


def split_size(recipe: str) -> tuple[str, Size | None]:
    """Take ``bert-small`` apart into the recipe's name and the size; None without one."""
    name, dash, size = recipe.rpartition("-")
    return (name, SIZES[size]) if dash and size in SIZES else (recipe, None)
