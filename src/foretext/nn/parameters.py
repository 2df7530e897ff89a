"""Parameters that two networks share."""

from __future__ import annotations

from torch import nn

__all__ = ["share_parameter"]


def share_parameter(network: nn.Module, own: nn.Parameter, other: nn.Parameter) -> None:
    """Put another network's parameter in the place of a network's own, wherever that stands."""
    assert own.shape == other.shape, f"{tuple(own.shape)} cannot be {tuple(other.shape)}"
    for module in network.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter is own:
                setattr(module, name, other)
