"""Networks from ids to states."""

from foretext.registry import Registry

__all__ = ["BACKBONES"]

BACKBONES = Registry(
    "backbone",
    {
        "transformer": "foretext.backbones.transformer:Transformer",
    },
)
