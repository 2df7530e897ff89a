"""T5's buckets against its implementation, a plain twin, and by hand."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.relative_buckets import RelativeBuckets, bucket_of_distance
from tests.lazy_import import lazy_import

H, T, S, LENGTH = 3, 5, 9, 40

t5 = lazy_import("transformers.models.t5.modeling_t5")


def buckets(both_sides: bool = True) -> RelativeBuckets:
    torch.manual_seed(0)
    return RelativeBuckets(H, 8, 20, LENGTH, both_sides=both_sides)


def plain(module: RelativeBuckets, queries: Tensor, keys: Tensor, both_sides: bool) -> Tensor:
    """The scores of positions (T,) and (S,), one distance at a time, (1, H, T, S)."""
    distances = keys[None] - queries[:, None]
    found = bucket_of_distance(distances, 8, 20, both_sides=both_sides)
    return module.scores.weight[found].permute(2, 0, 1)[None]


@pytest.mark.parametrize("both_sides", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (8, 20), (16, 500)])
def test_buckets_are_theirs(both_sides: bool, num_buckets: int, max_distance: int) -> None:
    distances = torch.arange(-700, 700)
    theirs = t5.T5Attention._relative_position_bucket(
        distances, bidirectional=both_sides, num_buckets=num_buckets, max_distance=max_distance
    )
    ours = bucket_of_distance(distances, num_buckets, max_distance, both_sides=both_sides)
    assert torch.equal(ours, theirs)


def test_buckets_worked_by_hand() -> None:
    """Of 8 buckets a side has 4: distances 0 and 1, then 2 to 5 by logarithm, then the rest."""
    distances = torch.tensor([0, 1, 2, 6, 7, 100, -1, -7])
    found = bucket_of_distance(distances, 8, 20, both_sides=True)
    # 2 + log(6 / 2) / log(20 / 2) * 2 = 2.95, and 3.09 for distance 7
    assert found.tolist() == [0, 5, 6, 6, 7, 7, 1, 3]
    found = bucket_of_distance(distances, 4, 20, both_sides=False)
    assert found.tolist() == [0, 0, 0, 0, 0, 0, 1, 3]


@pytest.mark.parametrize("both_sides", [True, False])
@pytest.mark.parametrize("num_cached", [0, 4])
def test_scores_are_those_of_the_distances(both_sides: bool, num_cached: int) -> None:
    module = buckets(both_sides)
    queries, keys = torch.arange(num_cached, num_cached + T), torch.arange(S)
    right = plain(module, queries, keys, both_sides)
    assert torch.equal(module(T, S, num_cached), right)


def test_gradients_are_those_of_a_plain_twin() -> None:
    module = buckets()
    weights = torch.randn(1, H, T, S, generator=torch.Generator().manual_seed(1))
    (ours,) = torch.autograd.grad((module(T, S, 4) * weights).sum(), module.scores.weight)
    right = plain(module, torch.arange(4, 4 + T), torch.arange(S), True)
    (theirs,) = torch.autograd.grad((right * weights).sum(), module.scores.weight)
    torch.testing.assert_close(ours, theirs)


def test_positions_of_their_own() -> None:
    """In order they are as if they were not named; shifted, distances are the same."""
    module = buckets()
    order = torch.arange(T).expand(2, -1)
    assert torch.equal(module.of_positions(order, T), module(T, T).expand(2, -1, -1, -1))
    assert torch.equal(module.of_positions(order + 3, T), module.of_positions(order, T))
    far = torch.tensor([[0, 10 * LENGTH]])
    last = module(LENGTH, LENGTH)[..., 0, -1]
    assert torch.equal(module.of_positions(far, 2)[..., 0, 1], last)


@pytest.mark.parametrize("both_sides", [True, False])
def test_each_head_prefers_one_distance(both_sides: bool) -> None:
    module = buckets(both_sides)
    first = module(T, T)
    module.prefer((-1, 0), 5.0)
    gained = (module(T, T) - first)[0]  # (H, T, T)
    for head, distance in enumerate((-1, 0, -1)):
        expected = torch.diag(torch.full((T + distance,), 5.0), distance)
        before = gained[head].tril()  # what stands behind shares the bucket of 0 on one side
        torch.testing.assert_close(before, expected, atol=1e-5, rtol=0)
