"""A recurrent network as one operator of ONNX, for graphs that are traced.

PyTorch's own trace of a recurrent network holds for one number of positions. ONNX has operators for
whole rows of any length, with the same cells; they order the gates differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import torch
from torch import Tensor

__all__ = ["graph_states"]

OPERATORS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}
ORDERS = {"rnn": (0,), "lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}  # of the blocks of the weights
# A GRU of PyTorch resets what the state became, not the state.
OPTIONS: Mapping[str, Mapping[str, Any]] = {"gru": {"linear_before_reset": 1}}


def graph_states(
    kind: Literal["rnn", "lstm", "gru"],
    x: Tensor,
    weights: Sequence[Tensor],
    lengths: Tensor | None,
    *,
    reverse: bool = False,
) -> Tensor:
    """Return the states (B, T, D) of a reader, in a graph that is traced.

    Args:
        kind: of the cell.
        x: (B, T, E).
        weights: those of inputs (G D, E) and of states (G D, D), and the biases of both (G D,).
        lengths: (B,) int64, positions of each row that are read; None: all.
        reverse: whether rows are read from their ends.
    """
    of_inputs, of_states, *biases = (_in_order(each, kind) for each in weights)
    dim = of_states.shape[1]
    inputs = [x.transpose(0, 1), of_inputs[None], of_states[None], torch.cat(biases)[None]]
    if lengths is not None:
        inputs.append(lengths.clamp(min=1).to(torch.int32))
    attributes = {"hidden_size": dim, "direction": "reverse" if reverse else "forward"}
    states: Tensor = torch.onnx.ops.symbolic(
        OPERATORS[kind],
        inputs,
        {**attributes, **OPTIONS.get(kind, {})},
        dtype=x.dtype,
        shape=(x.shape[1], 1, x.shape[0], dim),
        version=14,
    )
    return states.squeeze(1).transpose(0, 1)


def _in_order(weight: Tensor, kind: str) -> Tensor:
    """Return the blocks of a weight in the order of ONNX."""
    order = ORDERS[kind]
    blocks = weight.chunk(len(order))
    return torch.cat([blocks[index] for index in order])
