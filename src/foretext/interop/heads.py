"""Which heads a model has beside its body."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

__all__ = ["Heads"]


class Heads(NamedTuple):
    """Of language modelling, and of next-sentence prediction."""

    head: bool
    pair_head: bool
    tied: bool  # the head's weights are the token vectors

    @classmethod
    def of(cls, head: Any) -> Self:
        """Return what our objective's settings ask for; None: there is no objective."""
        if head is None:
            return cls(head=False, pair_head=False, tied=True)
        return cls(True, getattr(head, "next_sentence", False), head.tied)
