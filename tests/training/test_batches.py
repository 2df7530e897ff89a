"""Batches: a function of seed and step, each example once an epoch, like lengths together."""

from __future__ import annotations

from itertools import islice

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs
from foretext.training.batches import Batches


class Numbers:
    """Examples that are their keys; every third one is long."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(50)

    def lengths(self, keys: np.ndarray) -> np.ndarray:
        return np.where(keys % 3 == 0, 9, 2)

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        drawn = rng.random(len(keys))
        return Batch(Inputs(torch.from_numpy(keys)[:, None]), {"drawn": torch.from_numpy(drawn)})


def ids(batch: Batch) -> list[int]:
    return batch.inputs.ids[:, 0].tolist()


def test_an_epoch_has_every_example_once() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    assert batches.per_epoch == 7
    for epoch in (0, 1):
        steps = range(epoch * 7, epoch * 7 + 7)
        assert sorted(i for step in steps for i in ids(batches.batch(step))) == list(range(50))
    assert ids(batches.batch(0)) != ids(batches.batch(7))


def test_a_batch_is_a_function_of_seed_and_step() -> None:
    first, second = Batches(Numbers(), 8, seed=3), Batches(Numbers(), 8, seed=3)
    for step in (12, 3, 12):
        one, other = first.batch(step), second.batch(step)
        assert ids(one) == ids(other)
        assert torch.equal(one.targets["drawn"], other.targets["drawn"])
    assert ids(first.batch(0)) != ids(Batches(Numbers(), 8, seed=4).batch(0))


def test_what_comes_from_the_background_is_the_same() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    ahead = Batches(Numbers(), 8, seed=3).ahead(5)
    for step, batch in zip(range(5, 20), islice(ahead, 15), strict=True):
        assert ids(batch) == ids(batches.batch(step))
    ahead.close()  # type: ignore[attr-defined]


def test_like_lengths_stand_together() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    mixed = sum(len({i % 3 == 0 for i in ids(batches.batch(step))}) > 1 for step in range(7))
    assert mixed <= 1
