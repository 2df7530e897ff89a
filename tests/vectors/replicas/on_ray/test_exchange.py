"""Rows that replicas send each other: each is sent once, and comes to where it was."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.replicas.on_ray.group import Exchange
from foretext.vectors.replicas.tiers import ROUNDS, Rows, parts_due

WORDS, NODES, STRIDE = 37, 20, 4


def exchange(replicas: int) -> Exchange:
    rows = {"inputs": Rows(np.ones(WORDS), STRIDE), "outputs": Rows(np.ones(NODES), STRIDE, True)}
    return Exchange(rows, replicas)


def weights(value: float | None = None) -> dict[str, np.ndarray]:
    """Return arrays whose last row is each replica's own."""
    sizes = {"inputs": (WORDS + 1) * STRIDE, "outputs": (NODES + 1) * STRIDE}
    return {
        name: np.arange(size, dtype=np.float32) if value is None else np.full(size, value, "f4")
        for name, size in sizes.items()
    }


@pytest.mark.parametrize("replicas", [1, 3, 8])
@pytest.mark.parametrize("round_number", [0, 3, ROUNDS - 1])
def test_what_is_due_arrives(replicas: int, round_number: int) -> None:
    given, taken, some = weights(), weights(-1.0), exchange(replicas)
    for number, part in enumerate(some.parts(given, round_number)):
        assert all((taken[name] == -1).sum() >= len(rows) for name, rows in part.items())
        some.put(taken, number, part, round_number)
    for name, size in (("inputs", WORDS), ("outputs", NODES)):
        is_taken = (taken[name] != -1).reshape(-1, STRIDE)
        assert is_taken.all(axis=1).sum() == -(-size // parts_due(round_number))
        np.testing.assert_array_equal(
            taken[name][taken[name] != -1], given[name][taken[name] != -1]
        )
        assert not is_taken[-1].any()


def test_frequent_rows_come_first() -> None:
    [part] = exchange(1).parts(weights(), 0)
    words, nodes = (-(-size // parts_due(0)) for size in (WORDS, NODES))
    np.testing.assert_array_equal(part["inputs"], np.arange(words * STRIDE))
    last = NODES * STRIDE
    np.testing.assert_array_equal(part["outputs"], np.arange(last - nodes * STRIDE, last))
