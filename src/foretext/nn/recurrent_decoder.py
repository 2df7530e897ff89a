"""Recurrent layers that write after a source: attention behind the last one (Luong et al. 2015, 3).

The state h of the last layer looks at the states of the source, and the result is tanh(W [c; h])
with their weighted mean c. So no position waits for what another one looked at, and a layer reads
all T of them in one fused call. With input feeding (3.3) each position also reads the result of the
one before it: step by step, and several times as slow.

The first state of each layer is a learned map of the states in which the source's readers end
(Bahdanau et al. 2015, A.2.2, where it is the state of one of them).

Without attention these ends are all that is known of the source. The decoder reads them at every
step, in its first layer and beside its last state (Cho et al. 2014, 2.2), or begins with them and
sees them no more (Sutskever et al. 2014, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import torch
from torch import Tensor, nn

from foretext.nn.attention_mask import AttentionMask
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import RecurrentLayer
from foretext.nn.source_attention import SourceAttention

__all__ = ["Carried", "Context", "Memory", "RecurrentDecoder"]

Context = Literal["every_step", "first_state"]  # where the ends of a source are read
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
    weights: Tensor  # (B, T, S), how much each position takes from the source; else (B, T, 0)


class RecurrentDecoder(nn.Module):
    """Recurrent layers, and attention behind the last one.

    Args:
        layers: unidirectional, each with states of D numbers; with input feeding the first one
            reads D numbers more than the vectors of tokens have, without attention M more, where
            the ends of the source are read at every step.
        attention: of their states; None: there is none.
        context: where they read the ends of the source without attention.
        memory_dim: width of the source's states, M.
        memory_ends: how many numbers of a source's state come from the reader that ends at its
            last position; the rest come from the one that ends at the first.
        input_feeding: whether each position reads the result of the one before it.
        dropout: of what is between layers, and of the result.
    """

    def __init__(
        self,
        layers: Sequence[RecurrentLayer],
        attention: SourceAttention | None,
        context: Context,
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
        self.repeats = attention is None and context == "every_step"
        self.output: nn.Linear | None = None
        if attention is not None or self.repeats:
            self.output = nn.Linear(memory_dim + self.dim, self.dim, bias=False)
        self.dropout = Dropout(dropout)

    def keys(self, memory: Tensor) -> Tensor:
        """Return what states are scored against, of the states of a source (N, S, M)."""
        return memory if self.attention is None else self.attention.keys(memory)

    def ends(self, memory: Memory) -> Tensor:
        """Return the states in which the readers of the sources end, (N, M)."""
        states, size = memory.states, self.memory_ends
        last = states[:, -1, :size]
        if memory.mask.visible is not None:
            lengths = memory.mask.visible[:, 0, 0].sum(1)
            rows = torch.arange(len(states), device=states.device)
            last = states[rows, (lengths - 1).clamp(min=0), :size]
        return torch.cat((last, states[:, 0, size:]), -1)

    def started(self, memory: Memory) -> Carried:
        """Return what the first positions begin with; a result is zero, as there was none."""
        parts = self.start(self.ends(memory)).split(self.dim, -1)
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
        repeated = self._repeated(x, memory)
        x = torch.cat((x, repeated), -1)
        for layer, block in enumerate(self.blocks):
            start = tuple(carried[layer * self.num_parts : (layer + 1) * self.num_parts])
            x, end = cast(RecurrentLayer, block).continued(self.dropout(x) if layer else x, start)
            layers.append(x)
            ends.extend(end)
        context, weights = self._taken(x, memory, repeated)
        if self.output is not None:
            x = torch.tanh(self.output(torch.cat((context, x), -1)))
        layers[-1] = self.dropout(x)
        return Read(layers, tuple(ends), weights)

    def _repeated(self, x: Tensor, memory: Memory) -> Tensor:
        """Return the ends of the source for each position, (B, T, M), or nothing, (B, T, 0)."""
        B, T, _ = x.shape
        if not self.repeats:
            return x.new_empty(B, T, 0)
        ends = self.ends(memory)
        return ends.repeat_interleave(B // len(ends), 0)[:, None].expand(-1, T, -1)

    def _taken(self, x: Tensor, memory: Memory, repeated: Tensor) -> tuple[Tensor, Tensor]:
        """Return what states (B, T, D) take from the source, and how much of each of its states."""
        if self.attention is None:
            return repeated, repeated[..., :0]
        B, T, D = x.shape
        queries = x.reshape(len(memory.states), -1, D)  # (N, T B / N, D)
        weights = self.attention(queries, memory.keys, memory.mask)
        context = (weights.to(x.dtype) @ memory.states).view(B, T, -1)
        return context, weights.view(B, T, -1)
