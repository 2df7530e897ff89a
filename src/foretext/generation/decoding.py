"""The settings of decoding, and what comes out of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.generation.sampling import Sampling

__all__ = ["Decoding", "Output"]


class Output(NamedTuple):
    """A text that was found."""

    ids: list[int]  # without the first token, where that is given, and without the end token
    score: float  # log-probability of its tokens, normalised by its length
    ended: bool  # False: it has `max_new_tokens`, or as many as the model has positions for


class Decoding(Config):
    """How texts are decoded: greedily, with a beam, or by drawing."""

    num_beams: int = Field(default=1, ge=1)
    """Hypotheses that a beam search keeps for each text; 1: greedy decoding."""
    num_best: int = Field(default=1, ge=1)
    """Outputs for each text, the best one first."""
    max_new_tokens: int = Field(default=256, ge=1)
    """Tokens of an output, at most, the end token among them."""
    min_new_tokens: int = Field(default=0, ge=0)
    """Tokens of an output, at least, without the end token."""
    length_penalty: float = 1.0
    """Power of the length that scores are divided by; 0: long outputs have the lowest scores."""
    length_norm: Literal["power", "wu"] = "power"
    """What is raised to `length_penalty`: the length, or (5 + length) / 6 (Wu et al. 2016)."""
    early_stopping: bool | Literal["never"] = False
    """True: a search ends at num_beams outputs; "never": if none can improve; false: in between."""
    no_repeat_ngram_size: int = Field(default=0, ge=0)
    """Length of the n-grams that an output may not have twice; 0: all may come again."""
    temperature: float = Field(default=0.0, ge=0)
    """Number that divides the logits where tokens are drawn; 0: none is drawn."""
    top_k: int | None = Field(default=None, ge=1)
    """Number of the most probable tokens to draw from; none: all."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Probability that the most probable tokens to draw from hold together; none: all."""
    seed: int = Field(default=0, ge=0)
    """Number that determines the draws."""
    batch_texts: int = Field(default=32, ge=1)
    """Texts that are decoded side by side."""

    @model_validator(mode="after")
    def _has_effect(self) -> Decoding:
        draws = self.temperature > 0
        if draws and self.num_beams > 1:
            raise ValueError(
                f"temperature = {self.temperature} draws tokens and num_beams = {self.num_beams} "
                "searches for the likeliest text; take one of the two"
            )
        if not draws and (self.top_k is not None or self.top_p is not None):
            raise ValueError(
                "top_k and top_p would have no effect: at temperature 0 nothing is drawn; leave "
                "them out, or set a temperature above 0"
            )
        if not draws and self.num_best > self.num_beams:
            raise ValueError(
                f"num_best = {self.num_best} and num_beams = {self.num_beams}: a search finds as "
                "many outputs as it has beams; raise num_beams"
            )
        return self

    @property
    def sampling(self) -> Sampling:
        """How the next token is chosen where no beam is searched."""
        return Sampling(temperature=self.temperature, top_k=self.top_k, top_p=self.top_p)

    def divisor(self, length: int) -> float:
        """Return what a score is divided by; `length` counts all tokens, the end among them."""
        base = float(length) if self.length_norm == "power" else (5.0 + length) / 6.0
        return float(base**self.length_penalty)
