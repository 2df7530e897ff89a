"""How much each token adds on the way from hidden tokens to the real ones: integrated gradients.

Sundararajan et al. 2017, section 3. The vectors of tokens go in a straight line from that of the
mask, or of another token that says little, to their own; what the gradients along it add up to is
the change of the value. The integral is Gauss-Legendre quadrature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call

from foretext.backbones.base import Backbone
from foretext.data.batch import Inputs
from foretext.tasks.computing import BATCH_TOKENS, TaskNetwork

__all__ = ["STEPS", "Gradients", "Path", "integrated_gradients"]

STEPS = 16  # points of the quadrature


class Gradients(NamedTuple):
    """What the tokens of one input add to the value of a label."""

    value: float
    base: float  # the value where all tokens are hidden
    tokens: NDArray[np.float64]  # (R, T)


class Path(NamedTuple):
    """One input with the vectors of its tokens, hidden and real."""

    inputs: Inputs  # R rows
    group: int  # rows of an example: of a window of a text, or of a pair
    hidden: Tensor  # (R, T, E)
    real: Tensor  # (R, T, E)

    @classmethod
    def of(
        cls, backbone: Backbone, inputs: Inputs, group: int, is_token: Tensor, mask: int | None
    ) -> Path:
        """Hide the tokens of some rows.

        Args:
            backbone: whose vectors they are.
            inputs: R rows, all of one input.
            group: rows of an example.
            is_token: (R, T) bool, False for padding and special tokens, which stay.
            mask: the id that hides a token; None: the mean vector does. Zeros would not do: a
                norm makes the way from them a jump at its start.
        """
        vectors = backbone.embedding.detach()
        real = vectors[inputs.ids]
        hides = vectors.mean(0) if mask is None else vectors[mask]
        return cls(inputs, group, torch.where(is_token[..., None], hides, real), real)

    def batches(self, rates: Tensor) -> list[_Batch]:
        """Return all examples at each rate of the way, the first rate's first."""
        R, T = self.inputs.ids.shape
        rows = torch.arange(R, device=rates.device).repeat(len(rates))
        size = max(1, BATCH_TOKENS["cpu"] // (T * self.group)) * self.group
        steps = torch.split(rates.repeat_interleave(R), size)
        return [_Batch(self, *part) for part in zip(steps, torch.split(rows, size), strict=True)]


class _Batch(NamedTuple):
    path: Path
    rates: Tensor  # (B,) how far on the way each row is
    rows: Tensor  # (B,)

    def vectors(self) -> Tensor:
        """Return the vectors of the tokens, (B, T, E)."""
        hidden, real = self.path.hidden[self.rows], self.path.real[self.rows]
        return torch.lerp(hidden, real, self.rates[:, None, None].to(real))

    def outputs(self, network: TaskNetwork, vectors: Tensor) -> Tensor:
        """Return the outputs of the task where tokens have these vectors."""
        inputs, backbone = self.path.inputs, network.backbone
        mask, segments = inputs.token_mask, inputs.segments
        numbered = replace(
            inputs,
            ids=torch.arange(vectors[..., 0].numel(), device=vectors.device).view(
                vectors.shape[:2]
            ),
            token_mask=None if mask is None else mask[self.rows],
            segments=None if segments is None else segments[self.rows],
            **inputs.words_of(self.rows),
        )
        [name] = (name for name, each in backbone.named_parameters() if each is backbone.embedding)
        options = {"keep_layers": network.head.needs_layers}
        states = functional_call(backbone, {name: vectors.flatten(0, 1)}, (numbered,), options)
        return network.head.outputs(states, numbered)


def integrated_gradients(
    network: TaskNetwork, path: Path, values_of: Callable[[Tensor], Tensor]
) -> Gradients:
    """Return what each token adds to a value.

    Args:
        network: in float32.
        path: of one input.
        values_of: makes values (N,) of the outputs (N, examples, C) at N points of the path.
    """
    points, shares = np.polynomial.legendre.leggauss(STEPS)
    device = path.real.device
    rates = torch.tensor([0.0, 1.0, *((points + 1) / 2)], device=device)
    weights = torch.tensor([0.0, 0.0, *(shares / 2)], device=device)
    batches = path.batches(rates)
    with torch.no_grad():
        found = torch.cat([batch.outputs(network, batch.vectors()) for batch in batches])
    outputs = found.view(len(rates), -1, found.shape[-1]).requires_grad_()  # (steps, examples, C)
    values = values_of(outputs)  # (steps,)
    (upstream,) = torch.autograd.grad((values * weights).sum(), outputs)
    tokens = torch.zeros(path.inputs.ids.shape, device=device)
    sizes = [len(batch.rows) // path.group for batch in batches]
    for batch, slope in zip(batches, torch.split(upstream.flatten(0, 1), sizes), strict=True):
        vectors = batch.vectors().requires_grad_()
        (slopes,) = torch.autograd.grad(batch.outputs(network, vectors), vectors, slope)
        way = (path.real - path.hidden)[batch.rows]
        tokens.index_add_(0, batch.rows, (slopes * way).sum(-1))
    base, value = values[:2].tolist()
    return Gradients(value, base, tokens.double().cpu().numpy())
