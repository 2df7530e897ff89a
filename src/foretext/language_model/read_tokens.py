"""What a network makes of each token of many texts: the mean of a token's states over its contexts.

Bommasani, Davis and Cardie 2020, "Interpreting Pretrained Contextualized Representations via
Reductions to Static Embeddings", section 3: the mean over contexts tells more of a word than the
word alone does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.data.framing import Framing
from foretext.language_model.encoding import Pooling, as_inputs, row_batches
from foretext.nn.pooling import POOLS

__all__ = ["ReadTokens", "read_tokens"]


class ReadTokens(NamedTuple):
    """What was read; V tokens, W rows of text."""

    sums: NDArray[np.float32]  # (V, D), of the states of each token
    counts: NDArray[np.int64]  # (V,), how often it occurred
    texts: NDArray[np.float32]  # (W, D), the pooled states of each row

    @property
    def means(self) -> NDArray[np.float32]:
        """The mean state of each token (V, D); zeros for one that did not occur."""
        counts = np.maximum(self.counts, 1).astype(np.float32)
        means: NDArray[np.float32] = self.sums / counts[:, None]
        return means


def read_tokens(
    backbone: Backbone,
    rows: Sequence[Sequence[int]],
    framing: Framing,
    *,
    vocab_size: int,
    pad: int,
    visibility: Visibility,
    pooling: Pooling,
    done: Callable[[int], object] = int,
) -> ReadTokens:
    """Read rows of ids, each between the special tokens of `framing`, which are not counted.

    `done` is called with each number of rows. A row has a token at least.
    """
    device = backbone.embedding.device
    sums = torch.zeros(vocab_size, backbone.dim, device=device)
    counts = torch.zeros(vocab_size, dtype=torch.int64, device=device)
    texts = np.empty((len(rows), backbone.dim), np.float32)
    framed = [framing.around(row) for row in rows]
    for places in row_batches(framed, backbone):
        some = [framed[place] for place in places]
        inputs = as_inputs(some, pad, visibility).to(device)
        states = backbone(inputs).last.float()  # (B, T, D)
        texts[places] = POOLS[pooling](states, inputs.token_mask).cpu().numpy()
        is_text = _text_positions(some, framing).to(device)  # (B, T)
        ids = inputs.ids[is_text]
        sums.index_add_(0, ids, states[is_text])
        counts.index_add_(0, ids, torch.ones_like(ids))
        done(len(places))
    return ReadTokens(sums.cpu().numpy(), counts.cpu().numpy(), texts)


def _text_positions(rows: Sequence[Sequence[int]], framing: Framing) -> Tensor:
    """(B, T) bool, the positions that are neither padding nor the frame's."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    places = np.arange(lengths.max())
    ends = (lengths - len(framing.suffix))[:, None]
    return torch.from_numpy((places >= len(framing.prefix)) & (places < ends))
