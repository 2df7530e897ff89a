"""Recurrent layers that write after a source: attention behind the last one (Luong et al. 2015, 3).

The state h of the last layer looks at the states of the source, and the result is tanh(W [c; h])
with their weighted mean c. So no position waits for what another one looked at, and a layer reads
all T of them in one fused call. With input feeding (3.3) each position also reads the result of the
one before it: step by step, and several times as slow.

The first state of each layer is a learned map of the states in which the source's readers end
(Bahdanau et al. 2015, A.2.2, where it is the state of one of them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import RecurrentLayer
from foretext.nn.source_attention import SourceAttention

__all__ = ["Carried", "Memory", "RecurrentDecoder"]

Carried = tuple[Tensor, ...]  # of each layer h, and c of an LSTM, (B, D) each; the result, if fed


class Memory(NamedTuple):
    """N sources, each looked at by as many rows of the decoder, which stand side by side."""

    states: Tensor  # (N, S, M)
    keys: Tensor  # (N, S, A), of the attention
    mask: AttentionMask  # of their real tokens


class Read(NamedTuple):
    """What a decoder makes of T positions."""

    layers: list[Tensor]  # (B, T, D) each; the last one is the result
    carried: Carried  # what the next positions begin with
    weights: Tensor  # (B, T, S), how much each position takes from the source


class RecurrentDecoder(nn.Module):
    """Recurrent layers, and attention behind the last one.

    Args:
        layers: unidirectional, each with states of D numbers; with input feeding the first one
            reads D numbers more than the vectors of tokens have.
        attention: of their states.
        memory_dim: width of the source's states, M.
        memory_ends: how many numbers of a source's state come from the reader that ends at its
            last position; the rest come from the one that ends at the first.
        input_feeding: whether each position reads the result of the one before it.
        dropout: of what is between layers, and of the result.
    """

    def __init__(
        self,
        layers: Sequence[RecurrentLayer],
        attention: SourceAttention,
        memory_dim: int,
        memory_ends: int,
        *,
        input_feeding: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        last = layers[-1].rightward
        self.dim, self.memory_ends, self.input_feeding = last.dim, memory_ends, input_feeding
        self.num_parts = 2 if last.kind == "lstm" else 1  # of a layer's state: h, and c of an LSTM
        self.blocks = nn.ModuleList(layers)
        self.start = nn.Linear(memory_dim, len(layers) * self.num_parts * self.dim)
        self.attention = attention
        self.output = nn.Linear(memory_dim + self.dim, self.dim, bias=False)
        self.dropout = Dropout(dropout)

    def started(self, memory: Memory) -> Carried:
        """Return what the first positions begin with; a result is zero, as there was none."""
        states, size = memory.states, self.memory_ends
        last = states[:, -1, :size]
        if memory.mask.visible is not None:
            lengths = memory.mask.visible[:, 0, 0].sum(1)
            rows = torch.arange(len(states), device=states.device)
            last = states[rows, (lengths - 1).clamp(min=0), :size]
        parts = self.start(torch.cat((last, states[:, 0, size:]), -1)).split(self.dim, -1)
        carried = [x if n % self.num_parts else torch.tanh(x) for n, x in enumerate(parts)]
        return (*carried, torch.zeros_like(carried[0])) if self.input_feeding else tuple(carried)

    def forward(self, x: Tensor, memory: Memory, carried: Carried) -> Read:
        """Read x (B, T, E), which follows what left `carried`."""
        if not self.input_feeding:
            return self._read(x, memory, carried)
        found: list[tuple[Tensor, ...]] = []
        states, result = carried[:-1], carried[-1]
        for step in x.unbind(1):
            layers, states, weights = self._read(
                torch.cat((step, result), -1)[:, None], memory, states
            )
            result = layers[-1][:, 0]
            found.append((*layers, weights))
        *layers, weights = (torch.cat(parts, 1) for parts in zip(*found, strict=True))
        return Read(layers, (*states, result), weights)

    def _read(self, x: Tensor, memory: Memory, carried: Sequence[Tensor]) -> Read:
        """Read all positions at once, a layer after the other."""
        layers: list[Tensor] = []
        ends: list[Tensor] = []
        for layer, block in enumerate(self.blocks):
            start = tuple(carried[layer * self.num_parts : (layer + 1) * self.num_parts])
            x, end = cast(RecurrentLayer, block).continued(self.dropout(x) if layer else x, start)
            layers.append(x)
            ends.extend(end)
        B, T, D = x.shape
        queries = x.reshape(len(memory.states), -1, D)  # (N, T B / N, D)
        weights = self.attention(queries, memory.keys, memory.mask)
        context = (weights.to(x.dtype) @ memory.states).view(B, T, -1)
        layers[-1] = self.dropout(torch.tanh(self.output(torch.cat((context, x), -1))))
        return Read(layers, tuple(ends), weights.view(B, T, -1))
