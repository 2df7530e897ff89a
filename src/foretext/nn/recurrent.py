"""Recurrent layers over rows of unequal lengths: of plain cells, LSTM's or GRU's.

Rows are not packed. To a network that reads from the left, what stands right of a row's end makes
no difference; for one that reads from the right, every row is turned around by its own length. An
LSTM learns two to five times as fast so on a CPU, where PyTorch has no fast path for packed rows.
In bfloat16 it takes some two thirds of the time again, and its gradients point where they should.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch
from torch import Tensor, nn

__all__ = ["Reader", "RecurrentKind", "RecurrentLayer", "row_lengths"]

RecurrentKind = Literal["rnn", "lstm", "gru"]

GATES: dict[RecurrentKind, int] = {"rnn": 1, "lstm": 4, "gru": 3}


class Reader(nn.Module):
    """A recurrent network that reads rows from the left; parameters as PyTorch names them.

    They are not those of `torch.nn.LSTM`, which on a CUDA device moves them where it wants them.

    Args:
        kind: of the cell; a plain one has tanh.
        input_dim: width of what is read, E.
        dim: width of a state, D.
    """

    def __init__(self, kind: RecurrentKind, input_dim: int, dim: int) -> None:
        super().__init__()
        self.kind, self.dim = kind, dim
        rows = GATES[kind] * dim
        self.weight_ih = nn.Parameter(torch.empty(rows, input_dim))
        self.weight_hh = nn.Parameter(torch.empty(rows, dim))
        self.bias_ih = nn.Parameter(torch.empty(rows))
        self.bias_hh = nn.Parameter(torch.empty(rows))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(dim**-0.5), dim**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Read (B, T, E), give the states (B, T, D); the first one follows a state of zeros."""
        start = x.new_zeros(1, x.shape[0], self.dim)
        weights: list[Tensor] = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        # biases, layers, dropout, whether gradients may be asked for, bidirectional, batch first
        options = (True, 1, 0.0, torch.is_grad_enabled(), False, True)
        with _scattered_weights(x):
            if self.kind == "lstm":
                return torch.lstm(x, [start, start], weights, *options)[0]
            run = torch.gru if self.kind == "gru" else torch.rnn_tanh
            return run(x, start, weights, *options)[0]


class RecurrentLayer(nn.Module):
    """A reader from the left and, where it is bidirectional, another from the right.

    Args:
        kind: of the cells.
        input_dim: width of what is read, E.
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
        """Return the states (B, T, D) or, the left reader's first, (B, T, 2 D).

        Args:
            x: (B, T, E).
            lengths: (B,) int64, real positions of each row, the first ones; None: all are. The
                states of the others mean nothing.
        """
        states = self.rightward(x)
        if self.leftward is None:
            return states
        if lengths is None:
            return torch.cat((states, self.leftward(x.flip(1)).flip(1)), -1)
        turn = _turned(lengths, x.shape[1])
        return torch.cat((states, _take(self.leftward(_take(x, turn)), turn)), -1)


def row_lengths(token_mask: Tensor | None) -> Tensor | None:
    """Return how many positions of each row are real, (B,), of a mask (B, T) or None."""
    return None if token_mask is None else token_mask.sum(1)


def _turned(lengths: Tensor, num_positions: int) -> Tensor:
    """Return the positions (B, T) in an order that turns what is real around: its own inverse."""
    positions = torch.arange(num_positions, device=lengths.device)
    mirrored = lengths[:, None] - 1 - positions
    return torch.where(mirrored >= 0, mirrored, positions)


def _take(x: Tensor, positions: Tensor) -> Tensor:
    """Return, of (B, T, D), the positions (B, T)."""
    return x.gather(1, positions.unsqueeze(-1).expand(-1, -1, x.shape[2]))


@contextmanager
def _scattered_weights(x: Tensor) -> Iterator[None]:
    """Let cuDNN copy the weights at each call without a warning: the optimizer says where they lie.

    They are views of one vector, with gaps between them (`foretext.training.flat_parameters`).
    """
    if not x.is_cuda:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="RNN module weights are not part of single")
        yield
