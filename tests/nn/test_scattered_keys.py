"""Keys that stay where they were written are those that moving them would give."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.attention import Layout, SelfAttention
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import FEW_ROWS, KeyValueCache

LAYOUT = Layout(AttentionMask(None))


class Moved(KeyValueCache):
    """A cache that always moves what it has."""

    def keep_rows(self, rows: Tensor) -> None:
        self._keys = [keys.index_select(0, rows) for keys in self._keys]
        self._values = [values.index_select(0, rows) for values in self._values]


def read(attention: SelfAttention, cache: KeyValueCache, x: Tensor) -> Tensor:
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
        torch.testing.assert_close(read(attention, scattered, x), read(attention, moved, x))
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
        torch.testing.assert_close(read(attention, scattered, x), read(attention, moved, x))
        for cache in (moved, scattered):
            if len(x) == 2:
                cache.keep_rows(rows)
            else:
                cache.forget(1)


def _attention(dim: int) -> SelfAttention:
    return SelfAttention(dim, 2, bias=True, dropout=0.0).eval()
