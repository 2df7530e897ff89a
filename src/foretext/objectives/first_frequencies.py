"""First weights with which a head predicts how often each token occurs, before anything is learned.

A network without biases learns these frequencies first, and all of its weights take part: within
some twenty steps its states become one vector, the same at each position, and what is equal
everywhere can be neither looked for nor found. A small T5 then needs thousands of steps to look at
its source. So the token vectors begin with a part that all of them share, and the head begins with
the frequencies in the direction that the states get from it.
"""

from __future__ import annotations

import numpy as np
import torch

from foretext.backbones.base import Backbone
from foretext.data.examples import Examples

__all__ = ["begin_with_frequencies"]

NUM_BATCHES, ROWS = 256, 16  # that tokens are counted in
SHARED = 1.0  # size of the part that token vectors share, in standard deviations of the others


@torch.no_grad()
def begin_with_frequencies(
    backbone: Backbone, head: torch.Tensor, examples: Examples, seed: int = 0
) -> None:
    """Change the token vectors and the weights of a head that has its own.

    Args:
        backbone: with random weights.
        head: (V, D), from states to tokens.
        examples: with the target ``next``; the first of an epoch are counted.
        seed: of the epoch.
    """
    rng = np.random.default_rng(seed)
    keys = examples.keys(rng)[: NUM_BATCHES * ROWS]
    batches = (examples.batch(keys[at : at + ROWS], rng) for at in range(0, len(keys), ROWS))
    counts = torch.ones(len(head))
    for batch in batches:
        counts += torch.bincount(batch.targets["next"].flatten(), minlength=len(head))
    vectors = backbone.embedding
    signs = torch.ones(vectors.shape[1])
    signs[1::2] = -1.0  # a layer norm takes away what all columns share
    vectors.add_(SHARED * float(vectors.std()) * signs.to(vectors))
    states = backbone(batch.inputs).last.flatten(0, 1)  # (N, D)
    common = states.mean(0)
    along = states @ common
    size = along.mean() / along.square().mean()  # with it products are as near to 1 as they can be
    scores = counts.log() - counts.log().mean()
    head.add_(torch.outer(scores.to(head), size * common))
