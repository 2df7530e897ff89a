"""The published sizes of BERT (Turc et al. 2019, Devlin et al. 2019), which serve GPT as well."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SIZES", "Size", "split_size"]


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


def split_size(recipe: str) -> tuple[str, Size | None]:
    """Take ``bert-small`` apart into the recipe's name and the size; None without one."""
    name, dash, size = recipe.rpartition("-")
    return (name, SIZES[size]) if dash and size in SIZES else (recipe, None)
