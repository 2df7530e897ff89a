"""The states of the random generators that dropout draws from, for a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from foretext.base.errors import OutputError

__all__ = ["generator_states", "set_generators"]


def generator_states() -> dict[str, Any]:
    """Return them as arrays, by name."""
    states = {"generator.cpu": torch.get_rng_state().numpy()}
    if torch.cuda.is_available():
        states["generator.cuda"] = torch.cuda.get_rng_state().numpy()
    return states


def set_generators(states: Mapping[str, Any]) -> None:
    """Go back to the states that `generator_states` gave; other names are passed over.

    Raises:
        OutputError: the states are none that a generator can have.
    """
    try:
        torch.set_rng_state(torch.from_numpy(states["generator.cpu"]))
        if "generator.cuda" in states and torch.cuda.is_available():
            torch.cuda.set_rng_state(torch.from_numpy(states["generator.cuda"]))
    except (KeyError, RuntimeError, TypeError) as error:
        raise OutputError(
            f"The checkpoint's generators cannot be restored ({error}); start the run again with "
            "--overwrite."
        ) from error
