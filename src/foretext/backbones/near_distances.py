"""First weights with which each head of relative attention looks at one near distance.

With random first weights a head looks at all distances alike. A small network then learns the
frequencies of words and stays there, as a Transformer does (`neighbour_attention`). Here the vector
v of a head and its map W of distances get v W = u, where u r_x is highest at the head's distance.
What is added to the residual stream begins smaller (Radford et al. 2019, section 2.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from foretext.nn.feed_forward import FeedForward
from foretext.nn.relative_attention import RelativeAttention, distance_table

__all__ = ["attend_to_near_distances"]

# From a query to its key, of the heads: in even layers and in odd ones. 1 is the token before.
DISTANCES = ((1, -1, 2, -2), (-2, 2, 1, -1))
SHARPNESS = 1.5  # nats by which the score of its distance is above those of its neighbours
BIAS_STD = 0.5  # of v; with the weights of v at 0.02, W would need large ones


class _Layer(Protocol):
    attention: RelativeAttention
    feed_forward: FeedForward


@torch.no_grad()
def attend_to_near_distances(layers: Sequence[_Layer], dim: int) -> None:
    """Let each head look at one of `DISTANCES`, and add less to the residual stream.

    Args:
        layers: whose other random weights stay.
        dim: width of a state.
    """
    scale = (2 * len(layers)) ** -0.5
    for number, layer in enumerate(layers):
        layer.attention.output.weight.mul_(scale)
        layer.feed_forward.outer.weight.mul_(scale)
        distances = DISTANCES[number % len(DISTANCES)]
        for head in range(layer.attention.num_heads):
            _look(layer.attention, head, _peak(distances[head % len(distances)], dim))


def _peak(distance: int, dim: int) -> Tensor:
    """Return u, (D,), whose product with the sinusoids is highest at a distance."""
    reach = abs(distance) + 1
    table = distance_table(reach, dim)  # of the distances reach, reach - 1, ...
    here, near = table[reach - distance], table[reach - distance - 1]
    return here * (SHARPNESS / (here @ (here - near)))


def _look(attention: RelativeAttention, head: int, u: Tensor) -> None:
    width = attention.distance_bias.shape[1]
    v = nn.init.normal_(attention.distance_bias[head], std=BIAS_STD)
    rows = attention.distance.weight[head * width : (head + 1) * width]  # W of the head, (d, D)
    lacking = u.to(rows) / attention.scale - v @ rows
    rows.add_(torch.outer(v / v.square().sum(), lacking))
