"""Caches: what they keep, and what they forget."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.attention import Layout, SelfAttention
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import FEW_ROWS, GROWTH, KeyValueCache, RecurrentCache

B, H, D = 2, 1, 3

LAYOUT = Layout(AttentionMask(None))


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


class Moved(KeyValueCache):
    """A cache that always moves what it has."""

    def keep_rows(self, rows: Tensor) -> None:
        self._keys = [keys.index_select(0, rows) for keys in self._keys]
        self._values = [values.index_select(0, rows) for values in self._values]


def read_of_scattered_keys(attention: SelfAttention, cache: KeyValueCache, x: Tensor) -> Tensor:
    mixed = attention(x, LAYOUT, 0, cache)
    cache.advance(x.shape[1])
    return mixed


@torch.inference_mode()
@pytest.mark.parametrize("dim", [32, 24], ids=["kernel", "heads too narrow"])
def test_rows_change_places_at_every_step(dim: int) -> None:
    torch.manual_seed(0)
    attention = _attention(dim)
    moved, scattered = Moved(), KeyValueCache()
    x = torch.randn(3, 1, dim)
    for step in range(150):  # the room for positions grows twice
        torch.testing.assert_close(
            read_of_scattered_keys(attention, scattered, x),
            read_of_scattered_keys(attention, moved, x),
        )
        size = 3 if step < 2 else (12, 20, 15, 9, 4)[step % 5]  # more, then fewer, and more again
        rows = torch.randint(len(x), (size,))
        for cache in (moved, scattered):
            cache.keep_rows(rows)
        x = torch.randn(size, 1, dim)
    assert (scattered.scattered is not None) == (dim == 32)


@torch.inference_mode()
def test_several_positions_at_once_and_some_forgotten() -> None:
    torch.manual_seed(0)
    attention, moved, scattered = _attention(32), Moved(), KeyValueCache()
    rows = torch.tensor([1, 0, 1] * FEW_ROWS)
    for x in (torch.randn(2, 4, 32), torch.randn(len(rows), 3, 32), torch.randn(len(rows), 1, 32)):
        torch.testing.assert_close(
            read_of_scattered_keys(attention, scattered, x),
            read_of_scattered_keys(attention, moved, x),
        )
        for cache in (moved, scattered):
            if len(x) == 2:
                cache.keep_rows(rows)
            else:
                cache.forget(1)


def _attention(dim: int) -> SelfAttention:
    return SelfAttention(dim, 2, bias=True, dropout=0.0).eval()
