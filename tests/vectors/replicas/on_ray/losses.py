"""Groups that lose something in the middle of a training, and what must be the same in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from foretext.vectors.replicas.on_ray.group import RayReplicaGroup

__all__ = ["lose", "same"]


def same(one: Any, other: Any) -> None:
    """Compare all that was learned."""
    np.testing.assert_array_equal(one.vectors().vectors, other.vectors().vectors)
    assert one.held_out_loss() == other.held_out_loss()  # which the outputs are in


def lose(patch: pytest.MonkeyPatch, loss: Callable[[RayReplicaGroup], object]) -> None:
    """Call `loss` once, while a group is at work on its second cycle."""
    real, calls = RayReplicaGroup._results, iter(range(1000))
    learn, cycles = RayReplicaGroup.learn, iter(range(1000))

    def losing(self: RayReplicaGroup, references: Any) -> Any:
        if next(calls) == 0:
            loss(self)
        return real(self, references)

    def learning(self: RayReplicaGroup, *arguments: Any) -> Any:
        if next(cycles) == 1:
            patch.setattr(RayReplicaGroup, "_results", losing)
        return learn(self, *arguments)

    patch.setattr(RayReplicaGroup, "learn", learning)
