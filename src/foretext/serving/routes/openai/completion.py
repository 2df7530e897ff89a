"""One request of ``POST /v1/completions`` while it is answered."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, NamedTuple, cast

from starlette.requests import Request

from foretext.serving.abilities.generate import Generate
from foretext.serving.abilities.likelihood import LikelihoodOptions, ScoredText
from foretext.serving.errors import CannotServe
from foretext.serving.routes.openai.completion_body import CompletionBody
from foretext.serving.routes.openai.events import reported
from foretext.serving.routes.openai.inputs import Item
from foretext.serving.routes.openai.prompt_in_work import Choice, PromptInWork
from foretext.serving.service import Service

__all__ = ["Completion", "Usage"]


class Usage(NamedTuple):
    """How many tokens were read and written."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, read: int, written: int) -> Usage:
        """Return the sum."""
        return Usage(self.prompt_tokens + read, self.completion_tokens + written)

    def as_json(self) -> dict[str, int]:
        """Return the counts as OpenAI's clients read them."""
        return {**self._asdict(), "total_tokens": sum(self)}


class Completion:
    """The prompts of a request, and how they are continued.

    Raises:
        ServingError: the model cannot do what is asked.
    """

    def __init__(self, body: CompletionBody, request: Request) -> None:
        self.body = body
        self.request = request
        self.service = Service.of(request)
        self.model = self.service.models.find(body.model, "generate")
        self.writer = cast(Generate, self.model.ability("generate"))
        self.prompts = body.prompts
        self.usage = Usage()
        self.num_forgotten = 0  # tokens of prompts that did not fit
        self._facts = {
            "id": f"cmpl-{uuid.uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": self.model.name,
        }
        self._check()

    def _check(self) -> None:
        num_texts = len(self.prompts) * self.body.num_samples
        if num_texts > self.service.settings.max_inputs:
            raise CannotServe(
                f"The request asks for {num_texts:,} texts, and this server writes "
                f"{self.service.settings.max_inputs:,} for a request; send several."
            )
        if self.body.suffix and not self.writer.writes_spans:
            raise CannotServe(
                f"suffix: '{self.model.name}' does not know what follows the text that it writes; "
                "leave suffix out, or ask a model that writes spans (T5, BART)."
            )
        if self.body.echo and self.writer.answers_prompts:
            raise CannotServe(
                f"echo: '{self.model.name}' writes a text for the prompt and does not continue it; "
                "leave echo out."
            )

    def reply(self, choices: list[Choice], *, usage: bool = True) -> dict[str, Any]:
        """Return an answer, or an event of a stream."""
        return {
            **self._facts,
            "choices": [choice.as_json() for choice in choices],
            "usage": self.usage.as_json() if usage else None,
        }

    @property
    def warning(self) -> str | None:
        """What a client should know of prompts that did not fit; None: all did."""
        if not self.num_forgotten:
            return None
        return (
            f"the prompts and the new texts are longer than the model reads at once: the first "
            f"{self.num_forgotten} tokens of the prompts were not read"
        )

    async def choices(self) -> list[Choice]:
        """Return the texts of all prompts."""
        found: list[Choice] = []
        for prompt, scored in zip(self.prompts, await self._scored(), strict=True):
            if scored is not None and self.body.only_scores:
                found.append(self._from_scores(scored, len(found)))
            else:
                found += await self._write(prompt, scored, len(found))
        return found

    async def stream(self) -> AsyncGenerator[Choice, None]:
        """Yield pieces of texts as they come; those of a prompt's texts alternate."""
        first = 0
        for prompt, scored in zip(self.prompts, await self._scored(), strict=True):
            async with aclosing(reported(partial(self._write, prompt, scored, first))) as pieces:
                async for piece in pieces:
                    yield piece
            first += self.body.num_texts

    async def _scored(self) -> list[ScoredText] | list[None]:
        """Return the prompts with the scores of their tokens, where both are asked for."""
        if not self.body.echo or self.body.logprobs is None:
            return [None] * len(self.prompts)
        options = LikelihoodOptions(self.body.logprobs)
        answered = await self.service.answer(
            self.request, "likelihood", self.prompts, options, model=self.model.name
        )
        return answered.answers

    def _from_scores(self, scored: ScoredText, index: int) -> Choice:
        """Return a prompt with the token that is likeliest after it, or without."""
        if self.body.num_tokens == 0:
            self.usage = self.usage.plus(scored.num_tokens, 0)
            return Choice(index, scored.text, scored.tokens, "length")
        self.usage = self.usage.plus(scored.num_tokens, 1)
        tokens = scored.tokens.then(scored.following, len(scored.text))
        reason = "stop" if scored.new_text is None else "length"
        return Choice(index, scored.text + (scored.new_text or ""), tokens, reason)

    async def _write(
        self,
        prompt: Item,
        scored: ScoredText | None,
        first: int,
        report: Callable[[Choice], None] | None = None,
    ) -> list[Choice]:
        """Return the texts of a prompt, the first of them with the index `first`."""
        turn = PromptInWork(self.body, self.writer, prompt, scored, first, report)
        written = await self.service.write(
            self.request, "generate", turn.write, model=self.model.name
        )
        self.usage = self.usage.plus(turn.num_read, turn.num_written)
        self.num_forgotten += turn.num_forgotten
        return written
