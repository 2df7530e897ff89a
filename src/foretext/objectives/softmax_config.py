"""Settings of the softmax over all words, which objectives share that predict every word."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from foretext.base.config import Config

__all__ = ["SoftmaxConfig"]


class SoftmaxConfig(Config):
    """Which softmax maps states to words: a full one, or that of Grave et al. 2017."""

    softmax: Literal["full", "adaptive"] = "full"
    """Kind of softmax; adaptive: rare words cost less, for large vocabularies of words."""
    cutoffs: list[PositiveInt] = Field([])
    """First ids of the clusters of rare words; none: by the size of the vocabulary."""
    div_value: float = Field(4.0, ge=1)
    """How much narrower the states of each cluster are than those of the one before."""

    @model_validator(mode="after")
    def _softmax_has_effect(self) -> Self:
        idle = self.changed & {"cutoffs", "div_value"}
        if self.softmax == "full" and idle:
            raise ValueError(f"{min(idle)} would have no effect with softmax = 'full'")
        if sorted({*self.cutoffs}) != self.cutoffs:
            raise ValueError(f"cutoffs = {self.cutoffs} must increase")
        return self

    def reached(self, vocab_size: int) -> list[int]:
        """Return the cutoffs within a vocabulary; plans build models over that of a sample, too."""
        return [cutoff for cutoff in self.cutoffs if cutoff < vocab_size]

    def within(self, vocab_size: int) -> tuple[Self, str | None]:
        """Return the settings without cutoffs beyond a vocabulary, and a note on those."""
        kept = self.reached(vocab_size)
        beyond = self.cutoffs[len(kept) :]
        if not beyond:
            return self, None
        said = ", ".join(f"{cutoff:,}" for cutoff in beyond)
        note = f"objective.cutoffs: without {said}, for the vocabulary has {vocab_size:,} tokens"
        return self.model_copy(update={"cutoffs": kept}), note
