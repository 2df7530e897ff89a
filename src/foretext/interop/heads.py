"""Which heads stand on a model's backbone."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NO_HEADS", "Heads"]


class Heads(NamedTuple):
    """Of language modelling, and of next-sentence prediction."""

    head: bool
    pair_head: bool
    tied: bool  # the head's weights are the token vectors
    apart: bool = False  # weights that their classes do not have stand in a file of their own


NO_HEADS = Heads(head=False, pair_head=False, tied=True)
