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


def test_lanes_go_on_where_they_ended() -> None:
    class Ordered(Numbers):
        def keys(self, rng: np.random.Generator) -> np.ndarray:
            return np.arange(50)

    batches = Batches(Ordered(), 8, seed=3, continues=True)
    assert batches.per_epoch == 6  # and two rows are left out
    epoch = [batches.batch(step) for step in range(6, 12)]
    assert [batch.continues for batch in epoch] == [False, *[True] * 5]
    lanes = list(zip(*map(ids, epoch), strict=True))
    assert lanes == [tuple(range(lane * 6, lane * 6 + 6)) for lane in range(8)]
    assert [ids(batch) for batch in epoch] == [ids(batches.batch(step)) for step in range(6)]


def test_fewer_rows_than_lanes_are_one_batch() -> None:
    class Few(Numbers):
        def keys(self, rng: np.random.Generator) -> np.ndarray:
            return np.arange(3)

    batches = Batches(Few(), 8, seed=3, continues=True)
    assert batches.per_epoch == 1
    assert ids(batches.batch(0)) == [0, 1, 2]


def test_like_lengths_stand_together() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    mixed = sum(len({i % 3 == 0 for i in ids(batches.batch(step))}) > 1 for step in range(7))
    assert mixed <= 1
