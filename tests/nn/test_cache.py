"""Caches: what they keep, and what they forget."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.cache import GROWTH, KeyValueCache, RecurrentCache

B, H, D = 2, 1, 3


def keys(start: int, stop: int) -> Tensor:
    """Keys (B, H, T, D) that say their position."""
    return torch.arange(start, stop).float()[:, None].expand(B, H, -1, D)


def read(cache: KeyValueCache, start: int, stop: int) -> Tensor:
    new = keys(start, stop)
    found, values = cache.extend(0, new, -new)
    assert torch.equal(values, -found)
    cache.advance(stop - start)
    return found


def test_keys_are_kept_in_order_beyond_their_first_room() -> None:
    cache = KeyValueCache()
    read(cache, 0, 2)
    found = read(cache, 2, 3 * GROWTH)
    assert cache.length == 3 * GROWTH
    assert torch.equal(found, keys(0, 3 * GROWTH))


def test_keys_that_were_forgotten_are_written_over() -> None:
    cache = KeyValueCache()
    read(cache, 0, 6)
    cache.forget(2)
    found = read(cache, 10, 11)
    assert cache.length == 5
    assert torch.equal(found, torch.cat((keys(0, 4), keys(10, 11)), 2))


def test_no_more_is_forgotten_than_was_read() -> None:
    cache = KeyValueCache()
    read(cache, 0, 3)
    with pytest.raises(AssertionError, match="4 of 3 positions"):
        cache.forget(4)


def test_states_before_the_newest_read_come_back() -> None:
    cache = RecurrentCache()
    first, second = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [4.0]])
    cache.advance(4, (first,))
    cache.advance(2, (second,))
    cache.keep_rows(torch.tensor([1, 1, 0]))
    assert cache.length == 6
    assert cache.states[0].flatten().tolist() == [4, 4, 3]
    cache.forget(0)
    assert cache.length == 6
    cache.forget(2)
    assert cache.length == 4
    assert cache.states[0].flatten().tolist() == [2, 2, 1]


def test_a_recurrent_cache_forgets_whole_reads_only() -> None:
    cache = RecurrentCache()
    cache.advance(4, (torch.zeros(1, 2),))
    with pytest.raises(AssertionError, match="1 positions of one read"):
        cache.forget(1)
