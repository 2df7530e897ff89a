"""What a client may ask of ``POST /v1/completions``; whatever would have no effect is refused."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from foretext.serving.abilities.generate import GenerateOptions
from foretext.serving.body import Body
from foretext.serving.routes.openai.inputs import Inputs, Item, as_items

__all__ = ["CompletionBody", "StreamOptions"]

MAX_TOKENS = 16  # of OpenAI, where a request does not say it
MOST_TOKENS = 1 << 14
MOST_TEXTS = 128  # of a prompt

Stop = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class StreamOptions(BaseModel):
    """What a stream holds besides texts."""

    include_usage: bool | None = None
    """Whether the last event before the end counts the tokens."""


class CompletionBody(Body):
    """A prompt, and how it is continued."""

    prompt: Inputs | None = None
    """A text, or several; or ids of this model's tokens, which are taken as they are. To a model
    that writes a text for another one (T5, BART) it is that other text."""

    max_tokens: int | None = Field(default=MAX_TOKENS, ge=0, le=MOST_TOKENS)
    """Tokens of a text, at most."""

    temperature: float | None = Field(default=1.0, ge=0, le=2)
    """Number that divides the logits; 0: always the likeliest token."""

    top_p: float | None = Field(default=1.0, ge=0, le=1)
    """Probability that the likeliest tokens to draw from hold together."""

    top_k: int | None = Field(default=None, ge=1)
    """Number of the likeliest tokens to draw from; not a field of OpenAI."""

    n: int | None = Field(default=1, ge=1, le=MOST_TEXTS)
    """Texts for each prompt."""

    best_of: int | None = Field(default=None, ge=1, le=MOST_TEXTS)
    """Texts to write for each prompt, of which the `n` likeliest by token are returned."""

    stop: Stop | Annotated[list[Stop], Field(max_length=64)] | None = None
    """A text, or several, that ends a text and is no part of it."""

    seed: int | None = Field(default=None, ge=-(2**63), lt=2**63)
    """Of the draws; the same request with it gives the same texts. null: a new one."""

    stream: bool | None = None
    """Whether pieces of text are sent as they come."""

    stream_options: StreamOptions | None = None
    """For `stream` only."""

    logprobs: int | None = Field(default=None, ge=0, le=5)
    """Likeliest tokens to name at each token, beside its log-probability."""

    echo: bool | None = None
    """Whether each text begins with its prompt."""

    suffix: str | None = None
    """What follows the text; models that write spans (T5, BART) write what stands in between,
    others refuse it."""

    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    """0, or refused."""

    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    """0, or refused."""

    logit_bias: dict[str, float] | None = None
    """Empty, or refused."""

    user: str | None = None
    """Not read."""

    @field_validator("frequency_penalty", "presence_penalty", "logit_bias")
    @classmethod
    def _without_effect(cls, value: Any) -> Any:
        if value:
            raise PydanticCustomError("unsupported", "this server does not know it; leave it out")
        return value

    @model_validator(mode="after")
    def _fit_together(self) -> CompletionBody:
        for wrong, sentence in (
            (self.stream_options and not self.stream, "stream_options needs stream = true"),
            (self.num_samples < self.num_texts, "best_of is less than n"),
            (
                self.num_samples > 1 and self.options().is_greedy,
                "n or best_of is more than 1, and without temperature all texts would be the same",
            ),
            (
                self.stream and self.num_samples > self.num_texts,
                "best_of is known at the end alone; leave it out of a stream",
            ),
        ):
            if wrong:
                raise PydanticCustomError("settings", sentence)
        return self

    @property
    def prompts(self) -> list[Item]:
        """The prompts; without one, an empty text."""
        return as_items("" if self.prompt is None else self.prompt, "prompt")

    @property
    def num_tokens(self) -> int:
        """Tokens of a text, at most."""
        return MAX_TOKENS if self.max_tokens is None else self.max_tokens

    @property
    def num_texts(self) -> int:
        """Texts that are returned for each prompt."""
        return self.n or 1

    @property
    def num_samples(self) -> int:
        """Texts that are written for each prompt."""
        return self.best_of or self.num_texts

    @property
    def only_scores(self) -> bool:
        """Whether reading the prompts is enough: they are scored, and the next token is named.

        lm-eval asks so. The prompts of a request are read together.
        """
        scored = bool(self.echo) and self.logprobs is not None and not self.stop
        is_short = self.num_tokens == 0 or (self.num_tokens == 1 and self.options().is_greedy)
        return scored and is_short and not self.stream and self.num_samples == 1

    def options(self) -> GenerateOptions:
        """Return how a prompt is continued; a seed that is not given is drawn."""
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or ()
        topn = self.logprobs
        if topn is None and self.num_samples > self.num_texts:
            topn = 0  # which text is the likeliest has to be known
        return GenerateOptions(
            max_new_tokens=self.num_tokens,
            temperature=1.0 if self.temperature is None else self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            num_samples=self.num_samples,
            seed=secrets.randbits(31) if self.seed is None else self.seed,
            stop=tuple(stop),
            topn=topn,
            suffix=self.suffix or None,
        )
