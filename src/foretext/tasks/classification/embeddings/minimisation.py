"""The least values of several smooth convex functions at once: L-BFGS on arrays.

Liu & Nocedal 1989, "On the Limited Memory BFGS Method for Large Scale Optimization", algorithm 2.1,
with steps that are halved until the value has fallen enough (Armijo). Many small regressions, as
cross-validation has them, take the time of one: each step computes all of them together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Loss", "minimised"]

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[Array, Array]]  # (S, P) to values (S,) and gradients (S, P)
Step = tuple[Array, Array, Array]  # changes of points and of gradients (S, P), 1 / their product

MEMORY = 10  # steps by which curvature is known
MOST_HALVINGS = 25
ENOUGH_FALL = 1e-4  # share of the fall that the gradient promises
TINY = 1e-300


def minimised(loss: Loss, start: Array, *, tolerance: float, most_steps: int) -> Array:
    """Return where S functions are least, (S, P).

    Args:
        loss: values and gradients at S points, one of each function.
        start: (S, P), one point a function.
        tolerance: largest number of a gradient at which its function is finished.
        most_steps: of all.
    """
    points = start.copy()
    values, gradients = loss(points)
    memory: deque[Step] = deque(maxlen=MEMORY)
    for _ in range(most_steps):
        is_open = np.abs(gradients).max(1) > tolerance  # (S,)
        if not is_open.any():
            break
        directions = _directions(gradients, memory) * is_open[:, None]
        fall = (directions * gradients).sum(1)  # (S,), below 0
        steps = _first_steps(gradients) if not memory else np.ones(len(points))
        new_points, new_values, new_gradients = points, values, gradients
        for _ in range(MOST_HALVINGS):
            new_points = points + steps[:, None] * directions
            new_values, new_gradients = loss(new_points)
            fell = new_values <= values + ENOUGH_FALL * steps * fall
            if fell.all():
                break
            steps = np.where(fell, steps, 0.5 * steps)
        else:
            stays = ~fell  # no step is small enough: as good as it gets in these numbers
            new_points = np.where(stays[:, None], points, new_points)
            new_values = np.where(stays, values, new_values)
            new_gradients = np.where(stays[:, None], 0.0, new_gradients)
        moved, changed = new_points - points, new_gradients - gradients
        memory.append((moved, changed, _inverses((moved * changed).sum(1))))
        points, values, gradients = new_points, new_values, new_gradients
    return points


def _directions(gradients: Array, memory: deque[Step]) -> Array:
    """Return minus the gradients times the inverse curvature, by the two-loop recursion."""
    found = gradients.copy()
    shares = []
    for moved, changed, inverse in reversed(memory):
        shares.append(inverse * (moved * found).sum(1))
        found -= shares[-1][:, None] * changed
    if memory:
        found *= _last_curvatures(memory)[:, None]
    for (moved, changed, inverse), share in zip(memory, reversed(shares), strict=True):
        found += (share - inverse * (changed * found).sum(1))[:, None] * moved
    return -found


def _last_curvatures(memory: deque[Step]) -> Array:
    """Return the scale of the inverse curvature, by the newest step of each function."""
    found = np.ones(len(memory[0][0]))
    for moved, changed, inverse in memory:
        squares = (changed * changed).sum(1)
        own = (moved * changed).sum(1) / np.maximum(squares, TINY)
        found = np.where((inverse > 0) & (squares > TINY), own, found)
    return found


def _first_steps(gradients: Array) -> Array:
    lengths = np.sqrt((gradients * gradients).sum(1))
    steps: Array = np.minimum(1.0, 1.0 / np.maximum(lengths, TINY))
    return steps


def _inverses(products: Array) -> Array:
    """Return 1 / products where these are above 0, else 0: such a step says nothing."""
    is_known = products > 1e-30
    found: Array = np.where(is_known, 1.0 / np.where(is_known, products, 1.0), 0.0)
    return found
