"""States of the generators that dropout draws from, to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

__all__ = ["generator_states", "set_generators"]


def generator_states() -> dict[str, Any]:
    """Return them as arrays, by name."""
    states = {"generator.cpu": torch.get_rng_state().numpy()}
    if torch.cuda.is_available():
        states["generator.cuda"] = torch.cuda.get_rng_state().numpy()
    return states


def set_generators(states: Mapping[str, Any]) -> None:
    """Go back to the states that `generator_states` gave; other names are passed over."""
    torch.set_rng_state(torch.from_numpy(states["generator.cpu"]))
    if "generator.cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(states["generator.cuda"]))
