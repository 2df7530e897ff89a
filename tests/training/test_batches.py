"""Batches: a function of seed and step, each example once an epoch, like lengths together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.training.batches import Batches


class Numbers(Examples):
    """Examples that are their keys; every third one is long."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(50)

    def lengths(self, keys: np.ndarray) -> np.ndarray:
        return np.where(keys % 3 == 0, 9, 2)

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        drawn = rng.random(len(keys))
        return Batch(Inputs(torch.from_numpy(keys)[:, None]), {"drawn": torch.from_numpy(drawn)})


class NoNumbers(Numbers):
    """Of a text that is too short for one."""

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return np.empty(0, np.int64)


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


class OfManyLengths(Numbers):
    def lengths(self, keys: np.ndarray) -> np.ndarray:
        return keys + 1


@pytest.mark.parametrize("tokens", [50, 100, 333])
def test_a_budget_of_tokens_is_filled_by_examples_of_like_length(tokens: int) -> None:
    batches = Batches(OfManyLengths(), 8, seed=3, batch_tokens=tokens)
    for epoch in (0, 1):
        steps = range(epoch * batches.per_epoch, (epoch + 1) * batches.per_epoch)
        found = [sorted(ids(batches.batch(step))) for step in steps]
        assert sorted(i for keys in found for i in keys) == list(range(50))
        for keys in found:
            assert keys == list(range(keys[0], keys[-1] + 1))
            assert len(keys) * (keys[-1] + 1) <= tokens
            after = keys[-1] + 1  # one more would be too many
            assert after == 50 or (len(keys) + 1) * (after + 1) > tokens


def test_epochs_by_tokens_have_other_batches_in_another_order() -> None:
    batches = Batches(Numbers(), 8, seed=3, batch_tokens=20)
    num = batches.per_epoch
    first, second = ([ids(batches.batch(e * num + s)) for s in range(num)] for e in (0, 1))
    assert sorted(map(len, first)) == sorted(map(len, second))
    assert sorted(map(sorted, first)) != sorted(map(sorted, second))


def test_an_example_above_the_budget_is_a_batch_of_its_own() -> None:
    batches = Batches(OfManyLengths(), 8, seed=3, batch_tokens=10)
    sizes = {tuple(ids(batches.batch(step))) for step in range(batches.per_epoch)}
    assert (49,) in sizes


def test_tokens_of_equally_long_rows_are_refused() -> None:
    class Equal(Numbers):
        def lengths(self, keys: np.ndarray) -> None:  # type: ignore[override]
            return None

    with pytest.raises(SettingError, match="batch_tokens is for examples of different lengths"):
        Batches(Equal(), 8, seed=3, batch_tokens=10)


def test_what_comes_from_the_background_is_the_same() -> None:
    batches = Batches(Numbers(), 8, seed=3)
    ahead = Batches(Numbers(), 8, seed=3).ahead(5)
    for step, part in zip(range(5, 20), islice(ahead, 15), strict=True):
        assert ids(part.batch) == ids(batches.batch(step))
        assert list(part.rows) == list(range(part.num_examples))
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


@pytest.mark.parametrize("size", [1, 3, 8, 11])
def test_parts_of_all_processes_are_the_batch(size: int) -> None:
    def share_of(rank: int) -> Callable[[int], range]:
        return lambda count: range(count * rank // size, count * (rank + 1) // size)

    whole = Batches(Numbers(), 8, seed=3)
    everyones = [Batches(Numbers(), 8, seed=3, share_of=share_of(rank)) for rank in range(size)]
    for step in (0, 6, 9):  # the last one of an epoch is shorter
        batch = whole.batch(step)
        parts = [batches.part(step) for batches in everyones]
        assert {part.num_examples for part in parts} == {len(batch)}
        assert [row for part in parts for row in part.rows] == list(range(len(batch)))
        own = [part.batch for part in parts if part.rows]
        assert [i for each in own for i in ids(each)] == ids(batch)
        assert batch.keys is not None
        assert [key for each in own for key in each.keys.tolist()] == batch.keys.tolist()
        drawn = torch.cat([each.targets["drawn"] for each in own])
        assert torch.equal(drawn, batch.targets["drawn"])
        idle = [part.batch for part in parts if not part.rows]
        assert all(ids(each) == ids(batch)[:1] for each in idle)


@pytest.mark.parametrize("continues", [False, True])
def test_no_example_at_all_is_said(continues: bool) -> None:
    batches = Batches(NoNumbers(), 4, 0, continues=continues)
    assert batches.per_epoch == 0
    with pytest.raises(CorpusError, match="too short"):
        batches.batch(0)
