"""Recurrent layers over rows of unequal lengths: of plain cells, LSTM's or GRU's.

Rows are not packed. To a network that reads from the left, what stands right of a row's end makes
no difference; for one that reads from the right, every row is reversed within its own length. An
LSTM learns two to five times as fast that way on a CPU, where PyTorch has no fast path for packed
rows. In bfloat16 it takes about two thirds of that time, and its gradients keep their direction.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.nn.recurrent_graph import graph_states

__all__ = ["Reader", "RecurrentKind", "RecurrentLayer", "row_lengths"]

RecurrentKind = Literal["rnn", "lstm", "gru"]
Carried = tuple[Tensor, ...]  # (B, D) each: h, and c of an LSTM; none: zeros

BLOCKS: dict[RecurrentKind, int] = {"rnn": 1, "lstm": 4, "gru": 3}  # of rows of the weights
GATE_NAMES: dict[RecurrentKind, dict[str, int]] = {  # the block of each gate
    "rnn": {},
    "lstm": {"input": 0, "forget": 1, "output": 3},
    "gru": {"reset": 0, "update": 1},
}


class Reader(nn.Module):
    """A recurrent network that reads rows from the left; parameters as PyTorch names them.

    It is not `torch.nn.LSTM`, which on a CUDA device moves its parameters in memory.

    Args:
        kind: of the cell; a plain one has tanh.
        input_dim: width of the inputs, E.
        dim: width of a state, D.
    """

    def __init__(self, kind: RecurrentKind, input_dim: int, dim: int) -> None:
        super().__init__()
        self.kind, self.dim = kind, dim
        rows = BLOCKS[kind] * dim
        self.weight_ih = nn.Parameter(torch.empty(rows, input_dim))
        self.weight_hh = nn.Parameter(torch.empty(rows, dim))
        self.bias_ih = nn.Parameter(torch.empty(rows))
        self.bias_hh = nn.Parameter(torch.empty(rows))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(dim**-0.5), dim**-0.5)

    def forward(self, x: Tensor, carried: Carried = ()) -> tuple[Tensor, Carried]:
        """Read (B, T, E); return the states (B, T, D), and what the next read may begin with."""
        if torch.compiler.is_exporting():  # a graph continues nothing
            return self.traced(x, None), ()
        zeros = x.new_zeros(1, x.shape[0], self.dim)
        hidden, *cell = (each.contiguous()[None] for each in carried) if carried else (zeros, zeros)
        weights = self.weights
        # biases, layers, dropout, whether gradients may be wanted, bidirectional, batch first
        options = (True, 1, 0.0, torch.is_grad_enabled(), False, True)
        with _scattered_weights(x):
            if self.kind == "lstm":
                states, *last = torch.lstm(x, [hidden, *cell], weights, *options)
            else:
                run = torch.gru if self.kind == "gru" else torch.rnn_tanh
                states, *last = run(x, hidden, weights, *options)
        return states, tuple(state[0] for state in last)

    @property
    def weights(self) -> list[Tensor]:
        """Weights and biases, as PyTorch's functions take them."""
        return [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]

    def traced(self, x: Tensor, lengths: Tensor | None, *, reverse: bool = False) -> Tensor:
        """Return the states (B, T, D) in a graph that is traced.

        Args:
            x: (B, T, E).
            lengths: (B,) int64, positions of each row that are read; None: all.
            reverse: whether rows are read from their ends.
        """
        return graph_states(self.kind, x, self.weights, lengths, reverse=reverse)

    def gates(self, x: Tensor) -> dict[str, Tensor]:
        """Return how far each gate is open, 0 to 1, at each position of (B, T, E): (B, T, D) each.

        Of an LSTM: "input", "forget" and "output"; of a GRU: "reset" and "update", where 1 keeps
        the state before; {} of plain cells, which have none.
        """
        names = GATE_NAMES[self.kind]
        states = self(x)[0]
        before = torch.cat((torch.zeros_like(states[:, :1]), states[:, :-1]), 1)
        sums = F.linear(x, self.weight_ih, self.bias_ih)
        sums = sums + F.linear(before, self.weight_hh, self.bias_hh)
        parts = sums.chunk(BLOCKS[self.kind], -1)
        return {name: parts[row].sigmoid() for name, row in names.items()}


class RecurrentLayer(nn.Module):
    """A reader from the left and, where it is bidirectional, another from the right.

    Args:
        kind: of the cells.
        input_dim: width of the inputs, E.
        dim: width of each one's state, D.
        bidirectional: whether there are two (Schuster & Paliwal 1997).
    """

    def __init__(
        self, kind: RecurrentKind, input_dim: int, dim: int, *, bidirectional: bool
    ) -> None:
        super().__init__()
        self.rightward = Reader(kind, input_dim, dim)
        self.leftward = Reader(kind, input_dim, dim) if bidirectional else None

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Return the states (B, T, D) or, those of the reader from the left first, (B, T, 2 D).

        Args:
            x: (B, T, E).
            lengths: (B,) int64, real positions of each row, the first ones; None: all are. The
                states of the others mean nothing.
        """
        states, _ = self.rightward(x)
        if self.leftward is None:
            return states
        if torch.compiler.is_exporting():
            return torch.cat((states, self.leftward.traced(x, lengths, reverse=True)), -1)
        if lengths is None:
            return torch.cat((states, self.leftward(x.flip(1))[0].flip(1)), -1)
        order = _reversing(lengths, x.shape[1])
        leftward, _ = self.leftward(_in_order(x, order))
        return torch.cat((states, _in_order(leftward, order)), -1)

    def gates(self, x: Tensor) -> dict[tuple[str, str], Tensor]:
        """Return the `gates` of each reader by side, "left" or "right" where it begins, and name.

        Args:
            x: (B, T, E), rows without padding.
        """
        found = {("left", name): gate for name, gate in self.rightward.gates(x).items()}
        if self.leftward is not None:
            for name, gate in self.leftward.gates(x.flip(1)).items():
                found["right", name] = gate.flip(1)
        return found

    def continued(self, x: Tensor, carried: Carried) -> tuple[Tensor, Carried]:
        """Read on from carried states, unidirectional; return states (B, T, D) and the last ones.

        Rows have no padding: the last state is that of the last position.
        """
        assert self.leftward is None, "a reader from the right cannot go on"
        states: tuple[Tensor, Carried] = self.rightward(x, carried)
        return states


def row_lengths(token_mask: Tensor | None) -> Tensor | None:
    """Return how many positions of each row are real, (B,), of a mask (B, T) or None."""
    return None if token_mask is None else token_mask.sum(1)


def _reversing(lengths: Tensor, num_positions: int) -> Tensor:
    """Return the positions (B, T) in an order that reverses the real ones: its own inverse."""
    positions = torch.arange(num_positions, device=lengths.device)
    mirrored = lengths[:, None] - 1 - positions
    return torch.where(mirrored >= 0, mirrored, positions)


class _Reversed(torch.autograd.Function):
    """Positions in an order that is its own inverse, so that gradients take the same way."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, order: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return _taken(x, order)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (order,) = ctx.saved_tensors
        return _taken(gradient, order), None


_in_order: Callable[[Tensor, Tensor], Tensor] = _Reversed.apply


def _taken(x: Tensor, order: Tensor) -> Tensor:
    """Return, of (B, T, D), the positions (B, T), whole rows of D numbers at a time."""
    firsts = torch.arange(len(x), device=x.device)[:, None] * x.shape[1]
    return x.flatten(0, 1).index_select(0, (firsts + order).flatten()).view_as(x)


@contextmanager
def _scattered_weights(x: Tensor) -> Iterator[None]:
    """Let cuDNN copy the weights at each call without a warning: the optimizer owns their place.

    They are views of one vector, with gaps between them (`foretext.training.flat_parameters`).
    """
    if not x.is_cuda:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="RNN module weights are not part of single")
        yield
