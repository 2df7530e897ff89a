"""First weights with which each head of a Transformer looks at a position near its own.

A Transformer with random first weights and learned positions does not know at first which positions
are near. A small BERT then learns the frequencies of words and stays there for thousands of steps.
These first weights leave architecture and file format as they are:

- Position vectors begin as sinusoids. A shift of sinusoids by a distance is a linear map (Vaswani
  et al. 2017, section 3.5).
- The keys of a head are random. Its queries are the same map after such a shift, so that the score
  is highest at that distance. Queries and keys that share their first weights are close to what
  training finds by itself (Trockman & Kolter 2023).
- What is added to the residual stream begins smaller by √(2 L) (Radford et al. 2019, section 2.3).
- Where embeddings are narrower than the states, the map P between them begins with orthogonal
  columns, and the shift M of positions becomes P M P⁺ for states.

Where positions are relative, a score for each distance says at once which one a head looks at. A
decoder then looks at itself and at what stands before, and in its source at tokens like its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from foretext.backbones.embeddings import Embeddings
from foretext.nn.attention import SelfAttention
from foretext.nn.block import Block
from foretext.nn.cross_attention import CrossAttention
from foretext.nn.positions import sinusoids

__all__ = [
    "DISTANCES",
    "DISTANCES_BEFORE",
    "NEAR_SCORE",
    "attend_to_equals",
    "attend_to_neighbours",
    "residual_scale",
    "shift_matrix",
    "shrink_residuals",
]

DISTANCES = ((-1, 1, -2, 2), (2, -2, -1, 1))  # of the heads, in even layers and in odd ones
DISTANCES_BEFORE = (0, -1, -2, -3)  # of a decoder's heads
NEAR_SCORE = 5.0  # nats by which a head prefers its relative distance
EQUAL_SCORE = 7.0  # nats by which it prefers a token of the source that is like its own
POSITION_SCALE = 2 * math.sqrt(2)  # a sinusoid's share of a sum with token vectors: twice theirs
SHARPNESS = 2.0  # of queries and keys, over the other first weights; 4 is worse


@torch.no_grad()
def attend_to_neighbours(embeddings: Embeddings, blocks: Sequence[Block], std: float) -> None:
    """Set position vectors, queries and keys so that each head looks at one near position.

    Args:
        embeddings: with learned positions, which are replaced, as is the map to the states.
        blocks: whose random keys stay, but for their scale.
        std: of the first weights.
    """
    assert embeddings.positions is not None
    length, width = embeddings.positions.weight.shape
    embeddings.positions.weight.copy_(sinusoids(length, width) * std * POSITION_SCALE)
    shifts = {distance: shift_matrix(width, distance) for distance in sum(DISTANCES, ())}
    if embeddings.projection is not None:
        outer = nn.init.orthogonal_(embeddings.projection.weight)  # (D, E)
        shifts = {distance: outer @ shift @ outer.T for distance, shift in shifts.items()}
        outer.mul_(math.sqrt(max(len(outer) / width, 1)))  # a norm's scale stays as it is
    for layer, block in enumerate(blocks):
        _look(block.attention, [shifts[distance] for distance in DISTANCES[layer % 2]])


@torch.no_grad()
def attend_to_equals(attention: CrossAttention, std: float) -> None:
    """Set queries and keys so that each head looks at the states that are most like its own.

    Args:
        attention: to states of a source that are normed, as its own are.
        std: of the first weights.
    """
    heads, dim = attention.num_heads, attention.query.in_features
    width = attention.width // heads
    scale = width**-0.5 if attention.scale is None else attention.scale
    keys = attention.key_value.weight[: attention.width]
    keys.mul_((EQUAL_SCORE / (width * dim * std**2 * scale)) ** 0.5)
    attention.query.weight.copy_(keys)


@torch.no_grad()
def shrink_residuals(blocks: Sequence[Block], num_layers: int) -> None:
    """Divide what each block adds to the residual stream by √(2 L), or √(3 L) with a source."""
    for block in blocks:
        outputs = [block.attention.output, block.feed_forward.outer]
        if block.cross is not None:
            outputs.append(block.cross.attention.output)
        for output in outputs:
            output.weight.mul_(residual_scale(len(outputs), num_layers))


def residual_scale(num_parts: int, num_layers: int) -> float:
    """Return what `shrink_residuals` multiplies by, where each layer adds so many parts."""
    return float((num_parts * num_layers) ** -0.5)


def shift_matrix(dim: int, distance: int) -> Tensor:
    """Return M, (D, D), with ``sinusoids(...)[p] @ M.T == sinusoids(...)[p + distance]``.

    The last column of an odd width has no partner and becomes 0.
    """
    even = torch.arange(0, dim - 1, 2)
    angle = distance * torch.exp(-math.log(10_000.0) * even / dim)
    matrix = torch.zeros(dim, dim)
    matrix[even, even], matrix[even, even + 1] = angle.cos(), angle.sin()
    matrix[even + 1, even], matrix[even + 1, even + 1] = -angle.sin(), angle.cos()
    return matrix


def _look(attention: SelfAttention, shifts: Sequence[Tensor]) -> None:
    """Let the heads of a layer look at the distances of these shifts, (D, D), in turn."""
    width = shifts[0].shape[0]
    queries, keys, _ = attention.query_key_value.weight.view(3, attention.num_heads, -1, width)
    keys.mul_(SHARPNESS)
    for head in range(attention.num_heads):
        queries[head] = keys[head] @ shifts[head % len(shifts)].to(keys)
