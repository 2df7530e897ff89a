"""Slices of vectors, and of parameters that lie across their borders."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from foretext.base.errors import SettingError
from foretext.training.adamw import AdamW
from foretext.training.flat_optimizer import FlatOptimizer
from foretext.training.flat_parameters import FlatParameters
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from foretext.training.shard import ALIGNMENT, Shard

SIZES = [1, 2, 3, 7]


@dataclass
class OneOf(Processes):
    """One of several processes that never have to speak."""

    rank: int
    size: int


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(31, 57), nn.LayerNorm(57), nn.Linear(57, 3))


def everyones(size: int, dtype: torch.dtype = torch.float32) -> list[FlatParameters]:
    """The parameters as each of several processes has them."""
    return [FlatParameters(model(), dtype, sharing=OneOf(rank, size)) for rank in range(size)]


@pytest.mark.parametrize("count", SIZES)
def test_slices_are_equal_and_cover_all(count: int) -> None:
    shard = Shard(1000, OneOf(count - 1, count))
    assert shard.places[0].start == 0
    assert shard.places[-1].stop == shard.size >= 1000
    assert [a.stop for a in shard.places[:-1]] == [b.start for b in shard.places[1:]]
    assert {place.stop - place.start for place in shard.places} == {shard.size // count}
    assert shard.size // count % ALIGNMENT == 0
    assert shard.size - 1000 < count * ALIGNMENT
    assert shard.place == shard.places[-1]


def test_a_process_that_is_alone_owns_all() -> None:
    assert Shard(1000).place == Shard(1000, OneOf(rank=3, size=1)).place == slice(0, 1024)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("count", SIZES)
def test_masters_are_shared_out_and_copies_whole(count: int, dtype: torch.dtype) -> None:
    alone, shared = FlatParameters(model(), dtype), everyones(count, dtype)
    end = len(alone.master)
    assert torch.equal(torch.cat([flat.master for flat in shared])[:end], alone.master)
    for flat in shared:
        assert torch.equal(flat.working[:end], alone.working)
        assert torch.equal(flat.copy, flat.master.to(dtype))
        assert flat.copy.untyped_storage().data_ptr() == flat.working.untyped_storage().data_ptr()


@pytest.mark.parametrize("count", SIZES)
def test_parts_keep_name_rate_and_decay(count: int) -> None:
    shared = everyones(count)
    for segment in shared[0].segments:
        parts = [part for flat in shared for part in flat.own if part.name == segment.name]
        assert sum(part.size for part in parts) == segment.size
        assert [part.first for part in parts] == [
            sum(earlier.size for earlier in parts[:i]) for i in range(len(parts))
        ]
        assert {(part.rate, part.decays) for part in parts} == {(segment.rate, segment.decays)}
    assert count == 1 or sum(len(flat.own) for flat in shared) > len(shared[0].segments)


@pytest.mark.parametrize("count", SIZES)
def test_memory_falls_with_the_number_of_processes(count: int) -> None:
    def kept(flat: FlatParameters) -> int:
        rule = AdamW(flat)
        return sum(vector.nbytes for vector in (flat.master, rule.mean, rule.square))

    alone = kept(FlatParameters(model(), torch.bfloat16))
    each = [kept(flat) for flat in everyones(count, torch.bfloat16)]
    assert len(set(each)) == 1
    assert alone / count <= each[0] < alone / count + 12 * ALIGNMENT


@pytest.mark.parametrize("count", SIZES)
def test_slices_of_gradients_are_those_of_the_whole(count: int) -> None:
    flat = everyones(count)[0]
    for number, parameter in enumerate(segment.parameter for segment in flat.segments):
        if number != 2:  # one has no gradient
            parameter.grad = torch.randn(parameter.shape)
    optimizer = FlatOptimizer(flat, [AdamW(flat)])
    whole = torch.zeros(flat.shard.size)
    for segment in flat.segments:
        if segment.parameter.grad is not None:
            segment.view(whole).copy_(segment.parameter.grad)
    optimizer.gather()
    slices = [optimizer.gathered(place) for place in flat.shard.places]
    assert torch.equal(torch.cat(slices), whole)


def test_moments_are_loaded_from_whole_ones() -> None:
    source = FlatParameters(model())
    rule = AdamW(source)
    rule.mean.normal_()
    rule.square.uniform_()
    state = {name: value.clone() for name, value in rule.state().items()}
    rules = [AdamW(flat) for flat in everyones(3)]
    for other in rules:
        other.load_state(state)
    for segment in source.segments:
        for kind in ("mean", "square"):
            whole = torch.cat([getattr(other, kind) for other in rules])
            assert torch.equal(segment.view(whole), state[f"{kind}.{segment.name}"])


def test_muons_matrices_are_not_cut() -> None:
    with pytest.raises(
        SettingError, match="sharding would cut the matrices that muon moves as one"
    ):
        TrainingConfig.checked({"sharding": "optimizer", "optimizer": "muon"}, "training")
